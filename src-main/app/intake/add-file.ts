import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import { isNoTrace } from '../../shared/answers/beside-file.ts';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { type IncomingFile, receiveFailure, receiveStream } from '../file-store/receive-stream.ts';
import { kindOfFile } from '../opening/kind-of-file.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { addArchive } from './add-archive.ts';
import { intakeOf } from './copy-rule.ts';
import { isKnown, lacksFile, listTaken } from './list-taken.ts';
import { openEarly } from './open-early.ts';
import { findSameBytes } from './same-bytes.ts';
import { takeFile, takePart } from './take-file.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;

/** Adds the file at a path: lists it where the library does not have its bytes yet. */
export async function addFile(
  services: Services,
  { path, copy }: { readonly path: string; readonly copy?: boolean | undefined },
  context: CallContext,
): Promise<AddResult> {
  const allowed = await allowedPath(services.platform, path);
  if (!allowed.ok) return allowed;
  const source = allowed.value;
  const kind = await kindOfFile(source);
  if (kind === 'archive') return addArchive(services, source, context);
  if (kind === 'benchmark' || kind === 'traceml') return isNoTrace(kind, basename(source));
  const intake = await intakeOf(services, source, copy);
  const sizeBytes = (await stat(source).catch(() => undefined))?.size;
  // Of a file with a log beside it and of a compressed one, the bytes that count are those of its copy.
  const isLookedFor = intake !== 'live' && intake !== 'packed' && sizeBytes !== undefined;
  const same = isLookedFor
    ? await findSameBytes(services, { path: source, sizeBytes }, context)
    : undefined;
  if (same !== undefined && !lacksFile(same)) return isKnown(services, same);
  // Of a file with a log beside it and of a compressed one, what is read is made by copying.
  const early = intake === 'copy' ? openEarly(services, source, context) : undefined;
  try {
    const taken = await takeFile(services, source, intake, early?.context ?? context);
    return taken.ok ? await listTaken(services, taken.value, context, { same, early }) : taken;
  } finally {
    await early?.end();
  }
}

/** Adds a file that a page sends; `received` is called once all of it is here. */
export async function addStream(
  services: Services,
  incoming: IncomingFile,
  context: CallContext,
  received: () => void,
): Promise<AddResult> {
  const file = await receiveStream(services.files, incoming);
  if (!file.ok) return file;
  received();
  const { part } = file.value;
  try {
    const kind = await kindOfFile(part.path);
    if (kind === 'archive') return await addArchive(services, part.path, context);
    if (kind === 'benchmark' || kind === 'traceml') return isNoTrace(kind, incoming.name);
    const taken =
      kind === 'packed'
        ? await takeFile(services, part.path, kind, context)
        : ok(await takePart(services, file.value));
    return taken.ok ? await listTaken(services, taken.value, context) : taken;
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    await services.files.discard(part);
  }
}
