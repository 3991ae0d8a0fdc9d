import { rm } from 'node:fs/promises';
import type { CallError, CallValue } from '../../contract/contract.ts';
import type { FetchedTrace } from '../../shared/contract/remote-process-calls.ts';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import type { Run, TransferProgress } from '../../shared/remote/run.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { type TraceFileError, traceDamages } from '../../shared/rpc/trace-file-errors.ts';
import type { Services } from '../services/services.ts';
import { addFetched } from './add-fetched.ts';

type BringBackError = CallError<'remote.bringBack'>;
type BringBackResult = Result<CallValue<'remote.bringBack'>, BringBackError>;

/** What is wrong with the file itself, as it is on its host. */
const DAMAGE: ReadonlySet<string> = new Set<TraceFileError>([...traceDamages, 'file-too-new']);

/**
 * Fetches a run's trace, adds it to the library, and only then has the host cleaned: until the entry
 * is listed the trace exists there too. Whatever fails, what was fetched is here for the next try.
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
  const added = await checkAndAdd(services, run, fetched.value, context);
  if (!added.ok) {
    if (!DAMAGE.has(added.error.code)) return notAdded(added.error);
    await remote.call('refuse', { run, why: added.error.message });
    return fail('trace-damaged', added.error.message, added.error.detail);
  }
  const { investigation } = added.value;
  services.emit('library.changed', null);
  const settled = await remote.call('settle', { run, investigation: investigation.id });
  // Of a run that could not be settled, the next try finds the file here and the entry in the library.
  if (settled.ok) await rm(fetched.value.path, { force: true }).catch(() => undefined);
  const cleanUp = settled.ok ? settled.value.cleanUp : undefined;
  return ok(cleanUp === undefined ? { investigation } : { investigation, cleanUp });
}

async function checkAndAdd(
  services: Services,
  id: string,
  fetched: FetchedTrace,
  context: CallContext,
): Promise<Result<AddedInvestigation, CallError<'library.add'>>> {
  const runs = await services.remote.call('runs', {});
  const run = runs.ok ? runs.value.find((each) => each.id === id) : undefined;
  tell(services, run, fetched, 'verifying');
  context.progress({ text: 'Checking the trace' });
  const checked = await services.copier.check(fetched.path, context);
  if (!checked.ok) return checked;
  tell(services, run, fetched, 'adding');
  context.progress({ text: 'Adding it to the library' });
  const origin = await services.remote.call('runTarget', { run: id });
  return addFetched(services, fetched, run, origin.ok ? origin.value : undefined, context);
}

/** The process that fetches knows nothing of the steps after it. */
function tell(
  { emit }: Services,
  run: Run | undefined,
  { sizeBytes }: FetchedTrace,
  step: TransferProgress['step'],
): void {
  if (run === undefined) return;
  const { wireBytes = 0 } = run.transfer ?? {};
  const transfer = { totalBytes: sizeBytes, doneBytes: sizeBytes, wireBytes, bytesPerSecond: 0 };
  emit('remote.run', { ...run, transfer: { ...transfer, step } });
}

/** The trace is sound and here: it is this machine that has no place for it now. */
function notAdded({ code, message, detail }: Failure): Result<never, BringBackError> {
  switch (code) {
    case 'cancelled':
    case 'disk-full':
    case 'disconnected':
    case 'internal':
      return fail(code, message, detail);
    default:
      return fail('library-unavailable', message, detail);
  }
}
