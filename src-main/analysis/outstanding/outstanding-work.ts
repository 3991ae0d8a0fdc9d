import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, lowerBoundBy } from '../../shared/numbers/bisect.ts';
import { atOnce, type Pieces, ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { perNumber } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { DeviceCalls } from './device-calls.ts';
import { WORK_UNKNOWN } from './open-streams.ts';
import type { States } from './state-list.ts';
import { unseenSpans } from './unseen-work.ts';
import { WorkSweep } from './work-sweep.ts';

/**
 * What one process had given its device: from each of `startsNs` on up to the next. Waits of one
 * stream for another are not recorded, and the legacy default stream waits for all: so work on any
 * stream counts as work on each.
 */
export interface Outstanding extends States {
  /** Waits for the device, rows of cuda_call in order of start, made with known work outstanding. */
  readonly waits: Uint32Array;
}

const callsOf = perNumber((trace, process) => new DeviceCalls(trace, process));
const unseenOf = perNumber(unseenSpans);

/** Once the streams are known. */
const sweepOf = perNumber(
  (trace, process) => new WorkSweep(trace, callsOf(trace, process), unseenOf(trace, process)),
);

/** The work of a process over the whole trace, kept with it: one sweep over its calls. */
export const outstandingWork = perNumber((trace, process): Outstanding => {
  atOnce(outstandingWorkAhead(trace, process));
  const { states, waits } = sweepOf(trace, process);
  return { ...states.whole(), waits: waits.values.toSorted() };
});

/** Works it out ahead, piece by piece, as far as it is asked for `untilNs`. */
export function* outstandingWorkAhead(
  trace: Trace,
  process: number,
  untilNs = Infinity,
): Pieces<void> {
  yield* streamsAhead(trace, process);
  const sweep = sweepOf(trace, process);
  while (!sweep.isPast(untilNs)) {
    sweep.goOn();
    yield;
  }
}

function* streamsAhead(trace: Trace, process: number): Pieces<void> {
  const calls = callsOf(trace, process);
  while (!calls.areStreamsKnown) {
    calls.findStreams();
    yield;
  }
}

/** The state just before `atNs`: of what comes later nothing is worked out. */
export function workBefore(trace: Trace, process: number, atNs: number): number {
  atOnce(outstandingWorkAhead(trace, process, atNs));
  return sweepOf(trace, process).states.before(atNs) ?? WORK_UNKNOWN;
}

/** So many rows before a moment are gone through for it alone, the next number where these leave it open. */
const NEAR_ROWS = [2 ** 10, 2 ** 13, 2 ** 16];

/** As workBefore, for one moment that is asked about: of what comes long before nothing is worked out either, where it can't matter. */
export function* workNear(
  trace: Trace,
  process: number,
  atNs: number,
  nearRows: readonly number[] = NEAR_ROWS,
): Pieces<number> {
  yield* streamsAhead(trace, process);
  const { startNs } = trace.tables.cuda_call.columns;
  const to = lowerBound(startNs, atNs);
  for (const rows of nearRows) {
    if (sweepOf(trace, process).isPast(atNs)) break;
    // All that were entered at one moment: a wait is for what was submitted, and done, by then.
    const from = rows < to ? lowerBound(startNs, startNs[to - rows]) : 0;
    const state = certainState(trace, process, atNs, [from, to]);
    if (state !== undefined) return state;
    yield;
  }
  yield* outstandingWorkAhead(trace, process, atNs);
  return workBefore(trace, process, atNs);
}

/** The state before `atNs` by some rows alone; undefined where it depends on those before. */
function certainState(
  trace: Trace,
  process: number,
  atNs: number,
  [from, to]: readonly [from: number, to: number],
): number | undefined {
  const near = new WorkSweep(trace, callsOf(trace, process), unseenOf(trace, process), from);
  for (let at = from; at < to; at += ROWS_OF_A_PIECE) near.goOn(to);
  return near.certainBefore(atNs, returnedNs(trace, process, from));
}

/** When the last of the calls that a process made before row `from` returned. */
function returnedNs(trace: Trace, process: number, from: number): number {
  const index = traceIndex(trace);
  const { offsets } = index.rowsBy('cuda_call');
  let lastNs = -Infinity;
  for (const [thread, info] of trace.threads.entries()) {
    if (info.process !== process || offsets[thread] === offsets[thread + 1]) continue;
    const { rows, latestEndsNs } = index.rowsOf('cuda_call', thread);
    const before = lowerBoundBy(rows, from, (row) => row);
    if (before > 0) lastNs = Math.max(lastNs, latestEndsNs.nsAt(before - 1));
  }
  return lastNs;
}
