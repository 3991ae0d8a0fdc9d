import { constants } from 'node:fs';
import { copyFile, link, open } from 'node:fs/promises';
import type { CallError } from '../../contract/contract.ts';
import type { FetchedTrace } from '../../shared/contract/remote-process-calls.ts';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import type { CaptureOrigin } from '../../shared/remote/capture-origin.ts';
import type { Run } from '../../shared/remote/run.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { formatLocalMinute } from '../../shared/text/dates.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Part } from '../file-store/file-store.ts';
import { receiveFailure } from '../file-store/receive-stream.ts';
import type { Services } from '../services/services.ts';
import { listTaken } from './list-taken.ts';
import { takePart } from './take-file.ts';

/**
 * Adds a fetched trace to the library as a copy of its own. The file that was fetched stays where it
 * is, whatever happens: on the same disk both are one.
 */
export async function addFetched(
  services: Services,
  { path, fileName, sha256, sizeBytes }: FetchedTrace,
  run: Run | undefined,
  origin: CaptureOrigin | undefined,
  context: CallContext,
): Promise<Result<AddedInvestigation, CallError<'library.add'>>> {
  let part: Part | undefined;
  try {
    part = await services.files.newPart(fileName);
    await linkOrCopy(path, part.path);
    const taken = await takePart(services, { part, sha256, sizeBytes });
    return await listTaken(services, taken, context, {
      origin,
      ...(run !== undefined && { as: nameOf(run) }),
    });
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    if (part !== undefined) await services.files.discard(part);
  }
}

/** `gpu-box: python train.py, 2026-11-22 10:14`: a file name says none of it. */
function nameOf({ host, what, startedAt }: Run): { name: string; machine: string } {
  const begin = formatLocalMinute(startedAt);
  const named = `${cleanText(host, 60)}: ${cleanText(what, 110)}, ${begin}`;
  return { name: named, machine: cleanText(host, 200) };
}

/** A data folder may be spread over disks, and some file systems have no links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const file = await open(to, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
