import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { PartSums } from './part-sums.ts';
import { runningAs } from './running-as.ts';

/** Time whose states are not known. */
interface Unexplained {
  /** Of the whole call. */
  readonly ns: number;
  readonly unexplainedNs: number;
  /** Why its states are not known. */
  readonly missing: string;
}

/**
 * Adds the time without states. Where the recorder measured off-CPU time around this very call, what
 * of it the single switches do not show is off the CPU, and the rest of the call is running.
 */
export function addMeasured(
  trace: Trace,
  call: number | undefined,
  { unexplainedNs, missing }: Unexplained,
  sums: PartSums,
): void {
  const { offCpuNs, runQueueNs, op } = trace.tables.cuda_call.columns;
  const measuredNs = offCpuNs?.[call ?? -1] ?? -1;
  if (call === undefined || measuredNs < 0) {
    sums.add({ kind: 'unexplained', reason: missing, basis: 'unknown' }, unexplainedNs);
    return;
  }
  const reason = 'as the recorder measured around this call';
  const basis = 'exact';
  const shownNs = sums.nsOf('runnable') + sums.nsOf('blocked') + sums.nsOf('off-cpu');
  const hiddenNs = Math.min(unexplainedNs, Math.max(0, measuredNs - shownNs));
  const queuedNs = runQueueNs?.[call] ?? -1;
  if (queuedNs < 0) sums.add({ kind: 'off-cpu', reason, basis }, hiddenNs, 'cuda_call', call);
  else {
    const waitedNs = Math.min(hiddenNs, Math.max(0, queuedNs - sums.nsOf('runnable')));
    sums.add({ kind: 'runnable', detail: 'unknown', reason, basis }, waitedNs, 'cuda_call', call);
    const blockedNs = hiddenNs - waitedNs;
    sums.add({ kind: 'blocked', detail: 'unknown', reason, basis }, blockedNs, 'cuda_call', call);
  }
  const kind = cudaOpKind(trace.names[op[call]] ?? '');
  const doing = runningAs(kind);
  const rest = `what that leaves of the call${doing === '' ? '' : ` (${doing})`}`;
  const detail = kind === 'sync' ? 'device-wait' : 'unknown';
  sums.add(
    { kind: 'running', detail, reason: rest, basis },
    unexplainedNs - hiddenNs,
    'cuda_call',
    call,
  );
}
