import type { Trace } from '../../shared/model/trace.ts';
import { formatCount, formatShare, plural } from '../../shared/text/units.ts';
import { keptCallsWords } from '../../shared/words/kept-words.ts';
import { hasAllButGaps, keptCalls } from '../coverage/kept-events.ts';
import type { LoopCalls } from './loop-calls.ts';
import { candidateLoops, type LoopEvents, loopEvents } from './loop-events.ts';
import { bestLoop, type Loop } from './loop-pattern.ts';
import type { StepBounds } from './step-list.ts';

/** Fewer repeats are no pattern. */
const MIN_STEPS = 10;

/**
 * Steps by the repeating pattern of copies and synchronisations. A step begins with its first copy
 * to the device, or its first synchronisation where there is none, and ends where the next begins:
 * the wait for the next batch is its last part. Where another loop's calls come between (a
 * validation), it ends with the last call before them.
 */
export function repeatingSteps(trace: Trace, calls: LoopCalls): StepBounds {
  const kept = keptCalls(trace);
  // Of losses whose time is known, those in the loop are left out later.
  if (kept !== undefined && !hasAllButGaps(trace))
    return none(
      `Steps not found: ${keptCallsWords[kept]}, so that a pattern of calls proves nothing.`,
    );
  const events = loopEvents(trace, calls);
  const loop = bestLoop(calls, events, candidateLoops(trace, events, MIN_STEPS), MIN_STEPS);
  if (loop === undefined) return none(noteWithout(calls, events));
  return bounds(calls, events, loop);
}

function bounds(calls: LoopCalls, events: LoopEvents, loop: Loop): StepBounds {
  const { anchors, isForeign } = loop;
  const startsNs = Float64Array.from(anchors, (event) => calls.startsNs.nsAt(events.calls[event]));
  const endsNs = new Float64Array(anchors.length);
  let cut = 0;
  for (let at = 0; at < anchors.length; at++) {
    const from = anchors[at];
    const to =
      at + 1 < anchors.length
        ? anchors[at + 1]
        : Math.min(from + loop.eventsPerStep, events.calls.length);
    let foreign = from + 1;
    while (foreign < to && isForeign[foreign] === 0) foreign++;
    const isWhole = foreign === to && at + 1 < anchors.length;
    if (foreign < to) cut++;
    endsNs[at] = isWhole ? startsNs[at + 1] : lastEndBefore(calls, events, foreign, startsNs[at]);
  }
  return { basis: 'signature', note: noteOf(loop, cut), startsNs, endsNs };
}

/** End of the last call before the event `event`; after the last event, of the event before it. */
function lastEndBefore(
  calls: LoopCalls,
  { calls: at }: LoopEvents,
  event: number,
  startNs: number,
): number {
  const call = event < at.length ? at[event] - 1 : at[at.length - 1];
  return Math.max(startNs, calls.endsNs.nsAt(call));
}

function noteOf({ name, share, anchors }: Loop, cut: number): string {
  const regular = `${formatShare(share, 1)} of ${formatCount(anchors.length - 1)} make the same copies and synchronisations`;
  const between =
    cut === 0
      ? ''
      : ` In ${formatCount(cut)} the calls of another loop follow: these are no part of the step.`;
  return `Found by a pattern that repeats: a step begins with ${name}; ${regular}.${between}`;
}

function none(note: string): StepBounds {
  return { basis: 'none', note, startsNs: new Float64Array(0), endsNs: new Float64Array(0) };
}

function noteWithout(calls: LoopCalls, { calls: events }: LoopEvents): string {
  if (calls.rows.length === 0)
    return 'No CUDA call of the training thread is in the trace: steps not found.';
  if (events.length < MIN_STEPS)
    return `Steps not found: the training thread made only ${plural(events.length, 'copy or synchronisation', 'copies and synchronisations')}.`;
  return `Steps not found: no copy or synchronisation of the training thread repeats at least ${MIN_STEPS} times in a regular pattern.`;
}
