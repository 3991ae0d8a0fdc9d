import type { Rank } from '../../shared/answers/jobs.ts';
import { isTraining, type LoopKind } from '../../shared/answers/loop-kind.ts';
import type { StepSummary } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { inWords, loopOwner } from '../../shared/words/loop-words.ts';
import { keptCalls } from '../coverage/kept-events.ts';
import { perRoles } from '../index/per-trace.ts';
import type { RowTimes } from '../index/sorted-rows.ts';
import { type GapSplit, gapSplitter } from '../input/gap-split.ts';
import { inputNote, inputToldBy } from '../input/input-note.ts';
import { loaderRanges, rangeSplitter } from '../input/loader-ranges.ts';
import { loopEvidence } from '../input/loop-evidence.ts';
import { callsOfThreads, type LoopCalls, loopCalls, opKinds } from '../loop/loop-calls.ts';
import { PHASE, type PhaseIntervals, PhaseList } from '../loop/phase-list.ts';
import { SIGN_COLLECTIVE, SIGN_LOADER, stackSigns } from '../loop/stack-signs.ts';
import { infersOnly, isLoopUnknown, servesRequests, stepBounds } from '../loop/step-bounds.ts';
import type { StepBounds } from '../loop/step-list.ts';
import { sleepsAfterFork } from '../threads/after-fork.ts';
import { waitPutter } from './collective-waits.ts';
import { idleSplitter } from './idle-split.ts';
import { copyJudge } from './logical-copies.ts';
import { requestBursts } from './request-bursts.ts';
import { stepSummary } from './step-summary.ts';
import { withStops } from './stopped-time.ts';
import { WARN_SHARE } from './verdict-input.ts';

/** The training thread's time over the window that is judged, and the steps in it. */
export interface Phases extends PhaseIntervals {
  readonly stepStartsNs: Float64Array;
  readonly stepEndsNs: Float64Array;
  readonly summary: StepSummary;
  /**
   * Whether input wait can be told from other host time: without, its 0 means nothing. Not where it would be
   * the verdict if waits that nobody knows were for input.
   */
  readonly inputKnown: boolean;
}

/**
 * What the main thread of `rank` did: intervals that tile the window exactly. Copies to the device
 * with the synchronisation that directly follows are `h2d`, as far as they did not wait for earlier
 * work (logical-copies.ts); memory that the loader allocates or frees, as to pin a batch, is `input`, by its stack;
 * every other CUDA call is `compute`, or `collective` where it is one, or waits for one (collective-waits.ts); so
 * are the calls of autograd's threads, while the main thread makes none and does not wait for input.
 * Time outside CUDA calls is split by gap-split.ts, or by loader-ranges.ts where that has nothing to go by; what the thread was
 * stopped in a call is `other` (stopped-time.ts). One pass over the calls of the rank, whose result
 * is kept: every explained call asks for it.
 */
export function phasesOf(trace: Trace, rank: Rank): Phases {
  const ranks = known(trace);
  const phases = ranks.get(rank) ?? findPhases(trace, rank);
  ranks.set(rank, phases);
  return phases;
}

const known = perRoles(() => new Map<Rank, Phases>());

function findPhases(trace: Trace, rank: Rank): Phases {
  const calls = loopCalls(trace, rank.mainThread);
  const helpers = callsOfThreads(
    trace,
    rank.cudaThreads.filter(
      (thread) => thread !== rank.mainThread && !rank.pinThreads.includes(thread),
    ),
  );
  const found = stepBounds(trace, rank, calls);
  const asleep = rank.mainThread < 0 ? '' : sleepsAfterFork(trace, rank.mainThread);
  const bounds = { ...found, note: `${found.note}${asleep === '' ? '' : ` ${asleep}`}` };
  const window = windowOf(bounds, calls, helpers);
  const evidence = loopEvidence(trace, rank, calls, window);
  const serves = servesRequests(trace, rank);
  const ranges = loaderRanges(trace, rank, window);
  const told = inputToldBy(rank, evidence, ranges, bounds.startsNs.length);
  let doubtfulNs = 0;
  const splitHost =
    told === 'ranges'
      ? rangeSplitter(ranges)
      : gapSplitter(trace, calls, evidence, (ns) => {
          doubtfulNs += ns;
        });
  const loop = { rank, calls, helpers, splitHost, serves };
  const intervals = withStops(trace, rank, split(trace, window, loop));
  const kept = keptCalls(trace);
  const requests = serves ? requestBursts(intervals) : undefined;
  const loopUnknown = isLoopUnknown(trace, rank);
  const infers = infersOnly(trace, rank);
  const kind: LoopKind = { ...(infers && { infers }), ...(loopUnknown && { loopUnknown }) };
  const words = (text: string) => (isTraining(kind) ? text : inWords(text, loopOwner(kind)));
  const lengthNs = window[1] - window[0];
  // Where batches come from workers, it is known of each wait for one.
  const isTold = evidence.knowsWakers && rank.generations.length > 0;
  const doubtNs = !isTold && doubtfulNs >= WARN_SHARE * lengthNs ? doubtfulNs : 0;
  const note = words(inputNote(trace, { rank, window, evidence, ranges, told, doubtNs }));
  return {
    ...intervals,
    stepStartsNs: bounds.startsNs,
    stepEndsNs: bounds.endsNs,
    summary: {
      ...stepSummary({ ...bounds, note: words(bounds.note) }, window, intervals, note),
      ...(isSelection(trace) && kept !== undefined && { isSelection: true, keptCalls: kept }),
      ...(serves && { serves: true, ...(requests && { requests }) }),
      ...kind,
    },
    inputKnown:
      told !== 'nothing' && (doubtNs === 0 || inputOf(intervals) >= WARN_SHARE * lengthNs),
  };
}

function inputOf({ startsNs, endsNs, phases: codes }: PhaseIntervals): number {
  return codes.reduce(
    (sum, code, at) => (code === PHASE.input ? sum + endsNs[at] - startsNs[at] : sum),
    0,
  );
}

/**
 * Whether the calls are those that a recorder chose to keep. One that says when it lost events (gap) has
 * all the others.
 */
function isSelection({ tables }: Trace): boolean {
  return tables.cuda_call.provenance.kind === 'partial' && tables.gap.provenance.kind === 'absent';
}

/** From the first step to the end of the last; without steps from the first to the last call. */
function windowOf(
  { startsNs, endsNs }: StepBounds,
  calls: LoopCalls,
  helpers: LoopCalls,
): TimeSpan {
  const steps = startsNs.length;
  if (steps > 0) return [startsNs[0], endsNs[steps - 1]];
  const firstNs = Math.min(
    calls.startsNs.nsAt(0) ?? Infinity,
    helpers.startsNs.nsAt(0) ?? Infinity,
  );
  if (firstNs === Infinity) return [0, 0];
  const lastOf = (ends: RowTimes) => {
    let lastNs = -Infinity;
    for (let at = 0; at < ends.length; at++) lastNs = Math.max(lastNs, ends.nsAt(at));
    return lastNs;
  };
  return [firstNs, Math.max(lastOf(calls.endsNs), lastOf(helpers.endsNs))];
}

interface Loop {
  readonly rank: Rank;
  readonly calls: LoopCalls;
  readonly helpers: LoopCalls;
  readonly splitHost: GapSplit;
  readonly serves: boolean;
}

function split(trace: Trace, [fromNs, toNs]: TimeSpan, loop: Loop): PhaseIntervals {
  const { rank, calls, helpers, splitHost, serves } = loop;
  const list = new PhaseList(fromNs);
  const putHost = hostTime(list, helpers);
  const splitGap = serves ? idleSplitter(trace, rank.mainThread, splitHost) : splitHost;
  const putCalls = callTime(trace, loop, list, toNs);
  let at = calls.endsNs.upperBound(fromNs);
  while (list.endNs < toNs) {
    const gapEndNs = Math.min(toNs, calls.startsNs.nsAt(at) ?? toNs);
    if (gapEndNs > list.endNs) splitGap(at, list.endNs, gapEndNs, putHost);
    if (gapEndNs === toNs) break;
    at = putCalls(at);
  }
  return list.intervals();
}

/**
 * Puts down time outside the main thread's calls; in "other" time those of its helpers are compute, and
 * while they compute a server is not idle.
 */
function hostTime(list: PhaseList, helpers: LoopCalls): (endNs: number, phase: number) => void {
  let next = 0;
  return (endNs, phase) => {
    const mayCompute = phase === PHASE.other || phase === PHASE.idle;
    while (mayCompute && list.endNs < endNs) {
      while (next < helpers.rows.length && helpers.endsNs.nsAt(next) <= list.endNs) next++;
      if (!(helpers.startsNs.nsAt(next) < endNs)) break;
      list.until(helpers.startsNs.nsAt(next), phase);
      list.until(Math.min(endNs, helpers.endsNs.nsAt(next)), PHASE.compute, helpers.rows[next]);
    }
    list.until(endNs, phase);
  };
}

/** Puts down the call `at`, with the one that belongs to it; answers the next. */
function callTime(
  trace: Trace,
  { rank, calls }: Pick<Loop, 'rank' | 'calls'>,
  list: PhaseList,
  toNs: number,
): (at: number) => number {
  const { op, stack } = trace.tables.cuda_call.columns;
  const { signs } = stackSigns(trace);
  const kinds = opKinds(trace);
  const isCollective = trace.names.map((name) => /^nccl/i.test(name));
  const phaseOf = (row: number) => {
    const sign = signs[stack?.[row] ?? -1];
    if (isCollective[op[row]] || sign === SIGN_COLLECTIVE) return PHASE.collective;
    const isMemory = kinds[op[row]] === 'allocate' || kinds[op[row]] === 'free';
    return isMemory && sign === SIGN_LOADER ? PHASE.input : PHASE.compute;
  };
  const copyAt = copyJudge(trace, calls);
  const putWait = waitPutter(trace, rank, list);
  return (at) => {
    const row = calls.rows[at];
    const copy = copyAt(at);
    if (copy === undefined) {
      const phase = phaseOf(row);
      const endNs = Math.min(toNs, calls.endsNs.nsAt(at));
      if (phase === PHASE.compute) putWait(endNs, row);
      else list.until(endNs, phase, row);
      return at + 1;
    }
    for (let part = at; part <= copy.last; part++) {
      const endNs = Math.min(toNs, calls.endsNs.nsAt(part));
      list.until(Math.min(endNs, Math.max(list.endNs, copy.copiesFromNs)), PHASE.compute, row);
      list.until(endNs, PHASE.h2d, calls.rows[part]);
    }
    return copy.last + 1;
  };
}
