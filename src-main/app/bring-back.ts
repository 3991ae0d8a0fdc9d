import { rename } from 'node:fs/promises';
import type { CallError, CallValue } from '../shared/contract.ts';
import type { AddedInvestigation } from '../shared/investigation.ts';
import type { FetchedTrace } from '../shared/remote/process-calls.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import { listTaken } from './adding/list-taken.ts';
import { takePart } from './adding/take-file.ts';
import type { Part } from './file-store/file-store.ts';
import { receiveFailure } from './file-store/receive-stream.ts';
import type { Services } from './services.ts';

type BringBackResult = Result<CallValue<'remote.bringBack'>, CallError<'remote.bringBack'>>;

/**
 * Fetches a run's trace, adds it to the library, and only then has the host cleaned: until the entry
 * is listed the trace exists there too.
 */
export async function bringBack(
  services: Services,
  run: string,
  context: CallContext,
): Promise<BringBackResult> {
  const { remote } = services;
  const options = { signal: context.signal, onProgress: context.progress };
  const fetched = await remote.call('fetch', { run }, options);
  if (!fetched.ok) return fetched;
  const added = await addFetched(services, fetched.value, context);
  if (!added.ok) {
    if (added.error.code === 'library-unavailable')
      return fail('library-unavailable', added.error.message);
    await remote.call('refuse', { run, why: added.error.message });
    return fail('trace-damaged', added.error.message, added.error.detail);
  }
  const { investigation } = added.value;
  services.emit('library.changed', null);
  const settled = await remote.call('settle', { run, investigation: investigation.id });
  // The trace is safe: a host that can't be cleaned now is cleaned later, and the run says so.
  const cleanUp = settled.ok ? settled.value.cleanUp : undefined;
  return ok(cleanUp === undefined ? { investigation } : { investigation, cleanUp });
}

async function addFetched(
  services: Services,
  fetched: FetchedTrace,
  context: CallContext,
): Promise<Result<AddedInvestigation, CallError<'library.add'>>> {
  let part: Part | undefined;
  try {
    part = await services.files.newPart(fetched.fileName);
    await rename(fetched.path, part.path);
    const { sha256, sizeBytes } = fetched;
    const taken = await takePart(services, { part, sha256, sizeBytes });
    return await listTaken(services, taken, context);
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    if (part !== undefined) await services.files.discard(part);
  }
}
