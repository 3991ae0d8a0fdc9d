import type { PartDetail } from '../../shared/answers/explanation.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import { type CycleCause, cycleCauses } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { awaitedThrough } from '../threads/awaited-through.ts';
import { sharedLock } from '../threads/shared-lock.ts';
import { stateCode, stateWhileAsleep, visitStates } from '../threads/visit-states.ts';
import { splitRunnable } from './runnable-split.ts';

/** The value of a cause in `u8` columns and in sums. */
export const causeCode = Object.fromEntries(
  cycleCauses.map((cause, code) => [cause, code]),
) as Readonly<Record<CycleCause, number>>;

/** ns by cause, each with the off-CPU row that has most of it. */
export interface CauseSums {
  /** By code of cycleCauses. */
  readonly ns: number[];
  /** Row of off_cpu; -1 = none. */
  readonly rows: number[];
  readonly mostNs: number[];
}

// Made by the hundred thousand: small plain arrays are far cheaper to make than typed ones.
const zeros: readonly number[] = cycleCauses.map(() => 0);
const nobody: readonly number[] = cycleCauses.map(() => -1);

export function noCauses(): CauseSums {
  return {
    ns: zeros.slice(),
    rows: nobody.slice(),
    mostNs: zeros.slice(),
  };
}

export function addCause(sums: CauseSums, cause: number, ns: number, row: number): void {
  if (ns <= 0) return;
  sums.ns[cause] += ns;
  if (row < 0 || ns <= sums.mostNs[cause]) return;
  sums.mostNs[cause] = ns;
  sums.rows[cause] = row;
}

const causeOfDetail: { readonly [Detail in PartDetail]?: CycleCause } = {
  disk: 'disk',
  // Of a file that lies elsewhere the kernel counts no wait for I/O.
  file: 'disk',
  lock: 'lock',
  pipe: 'sleeping',
  socket: 'sleeping',
  poll: 'sleeping',
  timer: 'sleeping',
  device: 'sleeping',
  child: 'sleeping',
  process: 'sleeping',
};

/** Why a blocked thread waited, as a code of cycleCauses. */
export function causeOfWait(trace: Trace, row: number): number {
  if (stateWhileAsleep(trace, row) === stateCode.stopped) return causeCode.stopped;
  if (sharedLock(trace, row) !== undefined) return causeCode['shared-lock'];
  const cause = causeOfDetail[awaitedThrough(trace, row).detail];
  if (cause !== undefined) return causeCode[cause];
  // A read of a descriptor whose file is not known, the opening of a pipe without a writer.
  const isInCall = (trace.tables.off_cpu.columns.syscall?.[row] ?? -1) >= 0;
  return isInCall && stateWhileAsleep(trace, row) === stateCode.sleeping
    ? causeCode.sleeping
    : causeCode.unknown;
}

/** Tells the processes of the rank's own job. */
export function ownProcesses(trace: Trace, rank: Rank | undefined): (process: number) => boolean {
  if (rank === undefined) return () => false;
  const index = jobIndex(trace);
  const own = new Set(rank.processes);
  const job = index.jobOf(rank.process);
  return (process) => own.has(process) || (job !== undefined && index.jobOf(process) === job);
}

/** What is asked about a stretch of a thread's time. */
export interface CauseQuestion {
  readonly thread: number;
  readonly isOwn: (process: number) => boolean;
  /** The cause of a wait. */
  readonly waitCause: (row: number) => number;
}

/** Adds what `thread` did over [startNs, endNs) to `sums`, by cause; what is added sums to its length. */
export function addCauses(
  trace: Trace,
  question: CauseQuestion,
  startNs: number,
  endNs: number,
  sums: CauseSums,
): void {
  visitStates(trace, question.thread, startNs, endNs, (fromNs, toNs, state, row, throttled) => {
    addState(trace, question, sums, { fromNs, toNs, state, row, throttled });
  });
}

/** A stretch of a thread's time, as visitStates tells it. */
export interface StateStretch {
  readonly fromNs: number;
  readonly toNs: number;
  readonly state: number;
  readonly row: number;
  readonly throttled: boolean;
}

/** Adds one stretch to `sums`. */
export function addState(
  trace: Trace,
  question: CauseQuestion,
  sums: CauseSums,
  { fromNs, toNs, state, row, throttled }: StateStretch,
): void {
  const ns = toNs - fromNs;
  if (state === stateCode.running) addCause(sums, causeCode.running, ns, -1);
  else if (throttled) addCause(sums, causeCode.throttled, ns, row);
  else if (state === stateCode.runnable) addRunnable(trace, question, fromNs, toNs, row, sums);
  else if (row < 0 || state === stateCode.unknown) addCause(sums, causeCode.unknown, ns, row);
  else addCause(sums, question.waitCause(row), ns, row);
}

function addRunnable(
  trace: Trace,
  { isOwn }: CauseQuestion,
  fromNs: number,
  toNs: number,
  row: number,
  sums: CauseSums,
): void {
  const split = splitRunnable(trace, row, fromNs, toNs, isOwn);
  addCause(sums, causeCode['runnable-own'], split.ownNs, row);
  addCause(sums, causeCode['runnable-other'], split.otherNs, row);
  addCause(sums, causeCode['idle-cpu'], split.idleNs, row);
  addCause(sums, causeCode.throttled, split.throttledNs, row);
  addCause(sums, causeCode.unknown, split.unknownNs, row);
}
