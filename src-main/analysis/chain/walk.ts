import type { Rank } from '../../shared/answers/jobs.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { Pieces } from '../../shared/numbers/pieces.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { peerOf } from '../threads/peers.ts';
import { stateCode, stateWhileAsleep } from '../threads/visit-states.ts';
import { creatorOf } from './births.ts';
import { isIndexWait } from './index-waits.ts';
import { type Moment, momentBefore } from './moments.ts';
import { lockHolder, lockSeriesStartNs } from './repeated-waits.ts';
import { isFutex } from './wait-calls.ts';
import { wakeContextOf, wakerOf, wokenNsOf } from './wakes.ts';

/** Why a chain does not follow a wait to whoever ended it. */
export type Stop =
  | 'disk'
  | 'timer'
  | 'interrupt'
  | 'kernel'
  | 'unrecorded'
  | 'nobody'
  | 'index'
  | 'self'
  | 'not-woken';

/** One stretch on the way back, before it is put in words. */
export interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
  readonly thread: number;
  readonly kind: Moment['kind'];
  /** Row of off_cpu; -1 = none. */
  readonly row: number;
  readonly stop?: Stop;
  /** Who ended the last of repeated waits for one lock; -1 = not known. */
  readonly holder?: number;
}

export interface Walk {
  /** Latest first; they tile the interval. */
  readonly stretches: readonly Stretch[];
  /** True where the walk was given up: the rest is one stretch of the last thread, not known. */
  readonly isCut: boolean;
}

/** No chain needs as many; a hostile file does not get more. */
const MAX_STEPS = 100_000;
/** So many are made in a few milliseconds. */
const STEPS_OF_A_PIECE = 1_000;
/** Threads that may pass a wake-up on at one and the same moment. */
const MAX_JUMPS = 16;

/**
 * Walks backwards from `endNs` to `startNs`, from a thread that was woken to the one that woke it. A
 * worker that waited for an index is not followed: before that it is what the thread did that asks. In pieces.
 */
export function* walkBack(
  trace: Trace,
  rank: Rank | undefined,
  origin: number,
  startNs: number,
  endNs: number,
): Pieces<Walk> {
  const stretches: Stretch[] = [];
  let thread = origin;
  let atNs = endNs;
  let jumps = 0;
  for (let step = 1; atNs > startNs; step++) {
    if (step % STEPS_OF_A_PIECE === 0) yield;
    if (step > MAX_STEPS) {
      stretches.push({ startNs, endNs: atNs, thread, kind: 'unknown', row: -1 });
      return { stretches, isCut: true };
    }
    const moment = momentBefore(trace, thread, atNs);
    const link = linkBefore(trace, rank, { thread, origin, atNs, moment });
    const sinceNs = link.sinceNs ?? moment.startNs;
    const jump = jumps < MAX_JUMPS && link.next >= 0 && link.next !== thread;
    const fromNs = Math.max(startNs, jump ? (link.leftNs ?? atNs) : sinceNs);
    if (fromNs < atNs) {
      stretches.push(stretchOf(thread, moment, fromNs, atNs, link));
      atNs = fromNs;
      jumps = 0;
    } else jumps++;
    if (jump) thread = link.next;
  }
  return { stretches, isCut: false };
}

function stretchOf(
  thread: number,
  { kind, row }: Moment,
  startNs: number,
  endNs: number,
  { next, stop, holder }: Link,
): Stretch {
  return {
    ...{ startNs, endNs, thread, kind, row },
    ...(stop === undefined || next >= 0 ? {} : { stop }),
    ...(holder === undefined ? {} : { holder }),
  };
}

interface Position {
  readonly thread: number;
  readonly origin: number;
  readonly atNs: number;
  readonly moment: Moment;
}

/** Where a chain goes from a thread that did not run. */
interface Link {
  /** The thread to follow; -1 = none, for the reason in `stop`. */
  readonly next: number;
  /** When the one to follow went to sleep itself, where the wake-up was under way for so long. */
  readonly leftNs?: number;
  readonly stop?: Stop;
  /** Where repeated waits for one lock began. */
  readonly sinceNs?: number;
  readonly holder?: number;
}

const STAY: Link = { next: -1 };

function linkBefore(trace: Trace, rank: Rank | undefined, position: Position): Link {
  const { thread, atNs, moment } = position;
  // Before its birth: what its creator did.
  if (moment.kind === 'dead' && moment.startNs === -Infinity)
    return { next: creatorOf(trace, thread) };
  if (moment.kind !== 'blocked') return STAY;
  const { row } = moment;
  const isAtWake = wokenNsOf(trace, row) === atNs;
  if (isWorkerMain(trace, thread) && isIndexWait(trace, rank, row))
    return { next: isAtWake ? position.origin : -1, stop: 'index' };
  if (stateWhileAsleep(trace, row) === stateCode.disk) return { next: -1, stop: 'disk' };
  const waker = wakerOf(trace, row);
  if (!isAtWake || waker < 0) return endedByNobody(trace, row, isAtWake);
  const stop = reasonNotToFollow(trace, row, waker);
  return stop === undefined ? linkTo(trace, row, waker, atNs) : { next: -1, stop };
}

/** To `waker`; a wake-up takes a while, in which the waker may have gone to sleep. */
function linkTo(trace: Trace, row: number, waker: number, atNs: number): Link {
  const landing = momentBefore(trace, waker, atNs);
  if (landing.kind !== 'blocked' || wokenNsOf(trace, landing.row) === atNs) return { next: waker };
  // Asleep all the time that the other was: it cannot have woken it.
  return landing.startNs <= trace.tables.off_cpu.columns.startNs[row]
    ? { next: -1, stop: 'nobody' }
    : { next: waker, leftNs: landing.startNs };
}

/** In the middle of a wait that ended later, or at the end of one that no thread ended. */
function endedByNobody(trace: Trace, row: number, isAtWake: boolean): Link {
  const stop = isAtWake ? stopOfContext(trace, row) : 'not-woken';
  const sender = stop === 'interrupt' ? senderOf(trace, row) : NONE;
  if (sender !== NONE) return linkTo(trace, row, sender, wokenNsOf(trace, row));
  if (!isFutex(trace, row)) return { next: -1, stop };
  const sinceNs = lockSeriesStartNs(trace, row);
  if (sinceNs >= trace.tables.off_cpu.columns.startNs[row]) return { next: -1, stop };
  return { next: -1, stop, sinceNs, holder: lockHolder(trace, row) };
}

/**
 * Within one machine a message wakes who waits for it while the thread runs that sends it, or just after: of the process at
 * the other end of the socket the one that ran last. -1 = that process is not known, or not recorded.
 */
function senderOf(trace: Trace, row: number): number {
  const peer = peerOf(trace, row);
  if (peer === undefined || peer.process === NONE) return NONE;
  const atNs = wokenNsOf(trace, row);
  let [last, lastNs] = [NONE, Number.NEGATIVE_INFINITY];
  for (const thread of jobIndex(trace).threadsOf(peer.process)) {
    if (!isRecorded(trace, thread, atNs)) continue;
    const moment = momentBefore(trace, thread, atNs);
    const ranNs = moment.kind === 'running' ? atNs : moment.startNs;
    if (ranNs > lastNs) [last, lastNs] = [thread, ranNs];
  }
  return last;
}

/** Whether what `thread` did before `atNs` is in the trace. */
function isRecorded(trace: Trace, thread: number, atNs: number): boolean {
  const { startsNs } = traceIndex(trace).switchesOf(thread);
  return startsNs.length > 0 && startsNs.nsAt(0) < atNs;
}

function isWorkerMain(trace: Trace, thread: number): boolean {
  const { tid, process } = trace.threads[thread];
  const info = trace.processes[process];
  return info?.role === 'dataloader-worker' && info.pid === tid;
}

function reasonNotToFollow(trace: Trace, row: number, waker: number): Stop | undefined {
  const { thread, startNs, durationNs } = trace.tables.off_cpu.columns;
  if (waker === thread[row]) return 'self';
  const { process, role } = trace.threads[waker];
  if (role === 'kernel' || trace.processes[process]?.role === 'kernel') return 'kernel';
  return isRecorded(trace, waker, startNs[row] + durationNs[row]) ? undefined : 'unrecorded';
}

function stopOfContext(trace: Trace, row: number): Stop {
  switch (wakeContextOf(trace, row)) {
    case 'timer':
      return 'timer';
    case 'softirq':
    case 'irq':
      return 'interrupt';
    default:
      return 'nobody';
  }
}
