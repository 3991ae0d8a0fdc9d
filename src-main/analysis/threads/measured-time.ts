import type { Basis } from '../../shared/answers/basis.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type CallSum, callSum, type SummedColumn } from './call-sums.ts';
import type { PartKind, PartSums } from './part-sums.ts';
import { type Runs, runsNs } from './running-time.ts';
import { type RunningCall, splitRunning } from './split-running.ts';

/** Time of a thread without states. */
interface Unexplained {
  readonly thread: number;
  readonly spans: Runs;
  /** Length of the time that is split: a call, or a part of one. */
  readonly ns: number;
  /** Why its states are not known. */
  readonly missing: string;
}

/**
 * Adds the time without states. Where the recorder measured sums around this very call, what of its
 * off-CPU time the single switches do not show is off the CPU, and the rest of the call is running;
 * where inside the call is not known, unless it never left the CPU.
 */
export function addMeasured(
  trace: Trace,
  call: RunningCall | undefined,
  { thread, spans, ns, missing }: Unexplained,
  sums: PartSums,
): void {
  const unexplainedNs = runsNs(spans);
  const unexplained: PartKind = { kind: 'unexplained', reason: missing, basis: 'unknown' };
  if (call === undefined || unexplainedNs === 0) {
    sums.add(unexplained, unexplainedNs);
    return;
  }
  const sumOf = (column: SummedColumn) => partOfSum(trace, call.row, column, ns);
  const off = sumOf('offCpuNs');
  const shownNs = sums.nsOf('runnable') + sums.nsOf('blocked') + sums.nsOf('off-cpu');
  const hiddenNs = Math.min(unexplainedNs, Math.max(0, (off?.value ?? Infinity) - shownNs));
  const waitedNs = addWaited(sumOf('runQueueNs'), hiddenNs, call.row, sums);
  if (off === undefined) {
    const stolenNs = addStolen(sumOf('stolenNs'), unexplainedNs - waitedNs, call.row, sums);
    sums.add(unexplained, unexplainedNs - waitedNs - stolenNs);
    return;
  }
  const { how: reason, basis } = off;
  const rest: PartKind =
    sumOf('runQueueNs') === undefined
      ? { kind: 'off-cpu', reason, basis }
      : { kind: 'blocked', detail: 'unknown', reason, basis };
  sums.add(rest, hiddenNs - waitedNs, 'cuda_call', call.row);
  const why = hiddenNs === 0 ? 'never off the CPU' : 'what that leaves of the call';
  // All of the call's time off the CPU may lie in this part of it.
  const offAtMostNs = Math.min(unexplainedNs, Math.max(0, off.wholeNs - shownNs));
  const ran = { runs: spans, ns: unexplainedNs - hiddenNs, offAtMostNs, why, basis };
  splitRunning(trace, thread, ran, call, sums);
}

interface PartOfSum extends CallSum {
  /** What was measured around the whole call. */
  readonly wholeNs: number;
  /** Set where `value` is of a part of the call. */
  readonly isBound?: true;
}

/** Of a part of a call its share of the sum: where inside the call it lies is not known. */
function partOfSum(
  trace: Trace,
  row: number,
  column: SummedColumn,
  ns: number,
): PartOfSum | undefined {
  const sum = callSum(trace, row, column);
  const wholeNs = trace.tables.cuda_call.columns.durationNs[row];
  if (sum === undefined) return undefined;
  const whole = { ...sum, wholeNs: sum.value };
  if (ns >= wholeNs || sum.value === 0) return whole;
  const basis: Basis = sum.basis === 'exact' ? 'inferred' : sum.basis;
  return { ...whole, value: Math.round((sum.value * ns) / wholeNs), basis, isBound: true };
}

function addWaited(
  queued: PartOfSum | undefined,
  atMostNs: number,
  row: number,
  sums: PartSums,
): number {
  if (queued === undefined) return 0;
  const { how: reason, basis, value, isBound = false } = queued;
  const waitedNs = Math.min(atMostNs, Math.max(0, value - sums.nsOf('runnable')));
  const waited: PartKind = { kind: 'runnable', detail: 'unknown', reason, basis, isBound };
  sums.add(waited, waitedNs, 'cuda_call', row);
  return waitedNs;
}

function addStolen(
  stolen: CallSum | undefined,
  atMostNs: number,
  row: number,
  sums: PartSums,
): number {
  if (stolen === undefined) return 0;
  const { how, basis, value } = stolen;
  const stolenNs = Math.min(atMostNs, Math.max(0, value - sums.nsOf('running', 'stolen')));
  const reason = `interrupts or the hypervisor had its CPU, ${how}`;
  sums.add({ kind: 'running', detail: 'stolen', reason, basis }, stolenNs, 'cuda_call', row);
  return stolenNs;
}
