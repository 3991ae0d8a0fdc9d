import type { AccountingPart, PartDetail } from '../../../shared/answers/explanation.ts';
import type { Rank } from '../../../shared/answers/jobs.ts';
import type { Phase } from '../../../shared/answers/steps.ts';
import { codeOf, hostMemoryKinds } from '../../../shared/model/codes.ts';
import { cudaOpKind } from '../../../shared/model/cuda-ops.ts';
import type { EventRef } from '../../../shared/model/event-ref.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { loopCalls } from '../../loop/loop-calls.ts';
import { copyRecordOf } from '../../operations/gpu-record.ts';
import { streamEmptyAt } from '../../outstanding/stream-empty.ts';
import { accountTime } from '../../threads/account-time.ts';
import { stateCode, visitStates } from '../../threads/visit-states.ts';
import type { CostCause } from './facts.ts';

/** A part of a stretch of the main thread's time, and why it passed. */
export interface MainCause {
  readonly cause: CostCause;
  readonly ns: number;
  /** Set where it follows from the sum of a call, of which it is a part. */
  readonly isBound?: true;
  readonly event: EventRef | undefined;
}

/**
 * What the main thread's time in [startNs, endNs) went to, a stretch of one phase in or out of the
 * CUDA call `call` (-1 = none). The causes' ns sum to its length. `lateNs` = for how much of it the GPU had
 * nothing to do, where its own records say so: a wait for it lasts on only because its thread has no CPU.
 */
export function mainCauses(
  trace: Trace,
  rank: Rank,
  phase: Phase,
  call: number,
  startNs: number,
  endNs: number,
  lateNs?: number,
): MainCause[] {
  // Of a server that waits for a request nothing is to be explained.
  if (phase === 'idle') return [{ cause: 'sleeping', ns: endNs - startNs, event: undefined }];
  if (endNs - startNs < BRIEF_NS && ranThroughout(trace, rank.mainThread, startNs, endNs))
    return [
      {
        cause: runningCause(trace, phase, call, undefined),
        ns: endNs - startNs,
        event: eventOf(call),
      },
    ];
  const running = call < 0 ? undefined : runningCall(trace, call);
  const options = running === undefined ? {} : { call: running };
  const parts = accountTime(trace, rank, rank.mainThread, startNs, endNs, options);
  const causes = parts.map((part) => ({
    part,
    cause: causeOf(trace, phase, call, part),
    ns: part.ns,
    ...(part.isBound && { isBound: part.isBound }),
    event: part.events.shown[0] ?? eventOf(call),
  }));
  const isWait = phase === 'compute' && call >= 0 && waitsForGpu(trace, call);
  return isWait && lateNs !== undefined
    ? withLate(causes, lateNs)
    : causes.map(({ part: _, ...told }) => told);
}

/** Of the times without a CPU in a wait for the GPU, those count in which the GPU had nothing to do any more. */
function withLate(
  causes: readonly (MainCause & { readonly part: AccountingPart })[],
  lateNs: number,
): MainCause[] {
  let leftNs = lateNs;
  return causes.flatMap(({ part, ...told }) => {
    if (part.kind !== 'runnable') return [told];
    const ns = Math.min(leftNs, told.ns);
    leftNs -= ns;
    const late: MainCause = { ...told, ns, cause: runnableCauseOf(part) };
    const hidden: MainCause = { ...told, ns: told.ns - ns, cause: 'device' };
    return [late, hidden].filter((each) => each.ns > 0);
  });
}

function waitsForGpu(trace: Trace, call: number): boolean {
  const kind = kindOf(trace, call);
  return kind === 'sync' || kind === 'copy';
}

function runnableCauseOf({ detail }: AccountingPart): CostCause {
  return runnableCauses[detail ?? 'unknown'] ?? 'runnable';
}

/** Launches by the hundred thousand, each shorter than one page fault: what it did inside tells nothing. */
const BRIEF_NS = 20_000;

/** Whether the thread was proven to be on a CPU over all of [startNs, endNs). */
function ranThroughout(trace: Trace, thread: number, startNs: number, endNs: number): boolean {
  let ranNs = 0;
  visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state) => {
    if (state === stateCode.running) ranNs += toNs - fromNs;
  });
  return ranNs === endNs - startNs;
}

function eventOf(call: number): EventRef | undefined {
  return call >= 0 ? { table: 'cuda_call', row: call } : undefined;
}

function runningCall(trace: Trace, row: number) {
  const streamEmpty = streamEmptyAt(trace, row);
  return { row, ...(streamEmpty !== undefined && { streamEmpty }) };
}

function causeOf(trace: Trace, phase: Phase, call: number, part: AccountingPart): CostCause {
  switch (part.kind) {
    case 'running':
      return runningCause(trace, phase, call, part.detail);
    case 'runnable':
      return isHidden(trace, phase, call) ? 'device' : runnableCauseOf(part);
    case 'blocked':
      return blockedCause(trace, phase, call, part.detail);
    case 'off-cpu':
      return 'off-cpu';
    default:
      return 'unknown';
  }
}

const runnableCauses: Partial<Record<PartDetail, CostCause>> = {
  'own-job-ran': 'runnable-own',
  'others-ran': 'runnable-other',
  'kernel-ran': 'runnable-other',
  throttled: 'throttled',
  'idle-cpu': 'idle-cpu',
};

/**
 * Whether the device has work in hand while the thread is in `call`: it waits for that, on a CPU or
 * off it. What takes the CPU from it meanwhile delays nothing that can be proven.
 */
function isHidden(trace: Trace, phase: Phase, call: number): boolean {
  if (call < 0) return false;
  if (phase === 'collective') return true;
  if (phase === 'h2d') return !isCopying(trace, call);
  return phase === 'compute' && kindOf(trace, call) === 'sync';
}

/** Whether nothing earlier holds the copy: that is proven, or its phase begins then by the GPU's record of it. */
function isCopying(trace: Trace, call: number): boolean {
  return isRecordedTransfer(trace, call) || streamEmptyAt(trace, call) === true;
}

/**
 * Whether the GPU's own record of a copy is there, and the thread does not move the bytes itself: of pageable
 * memory only that counts which is told to be copying.
 */
function isRecordedTransfer(trace: Trace, call: number): boolean {
  const copy = copyOf(trace, call);
  return copyRecordOf(trace, copy) >= 0 && !isPageable(trace, copy);
}

function isPageable({ tables }: Trace, call: number): boolean {
  const memory = tables.cuda_call.columns.hostMemory?.[call] ?? 0;
  return memory === codeOf(hostMemoryKinds, 'pageable');
}

/** The copy that `call` makes, or ends as the wait that directly follows it. */
function copyOf(trace: Trace, call: number): number {
  if (kindOf(trace, call) === 'copy') return call;
  const { thread, startNs } = trace.tables.cuda_call.columns;
  const { rows, startsNs } = loopCalls(trace, thread[call]);
  return rows[startsNs.lowerBound(startNs[call]) - 1] ?? NONE;
}

function kindOf({ names, tables }: Trace, call: number) {
  return cudaOpKind(names[tables.cuda_call.columns.op[call]] ?? '');
}

function runningCause(
  trace: Trace,
  phase: Phase,
  call: number,
  detail: PartDetail | undefined,
): CostCause {
  if (detail === 'device-wait' && phase === 'h2d' && isRecordedTransfer(trace, call))
    return 'transfer';
  if (detail === 'device-wait') return 'device';
  if (detail === 'staging-copy') return 'staging';
  if (isHidden(trace, phase, call)) return 'device';
  if (detail === 'fault' || detail === 'stolen') return detail;
  if (call < 0 || phase === 'other') return 'running';
  if (phase === 'h2d') return transferCause(trace, call);
  if (phase === 'collective') return 'device';
  const kind = kindOf(trace, call);
  if (kind === 'allocate' || kind === 'free') return 'allocation';
  return kind === 'sync' ? 'device' : 'running';
}

/** Behind unfinished work, or where that is not known, a copy's time is the device's. */
function transferCause(trace: Trace, call: number): CostCause {
  if (!isCopying(trace, call)) return 'device';
  return isPageable(trace, call) ? 'staging' : 'transfer';
}

/** Inside a CUDA call a wait without another reason is for the device: syncs may block, not spin. */
function blockedCause(
  trace: Trace,
  phase: Phase,
  call: number,
  detail: PartDetail | undefined,
): CostCause {
  if (detail === 'stopped') return 'stopped';
  if (detail === 'disk' || detail === 'page') return detail === 'disk' ? 'disk' : 'fault';
  if (phase === 'h2d' && isRecordedTransfer(trace, call)) return 'transfer';
  const isInCall =
    phase === 'h2d' ||
    phase === 'compute' ||
    phase === 'collective' ||
    (phase === 'input' && call >= 0);
  if (isInCall) return 'device';
  if (detail === 'lock') return 'lock';
  return detail === undefined || detail === 'unknown' ? 'off-cpu' : 'sleeping';
}
