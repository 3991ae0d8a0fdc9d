import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { samplesWithin } from '../stacks/hot-lines.ts';
import { peerOf } from '../threads/peers.ts';
import { measuredReason, measuredStretch } from './measured-stretch.ts';
import { lineOf, lineOfWait } from './own-activity.ts';
import { lengthOf } from './segments.ts';
import type { Stop, Stretch } from './walk.ts';
import { loaderReason, nameOf, waitReason } from './words.ts';

/** Why the chain goes no further than such a wait. */
const stops: Readonly<Record<Stop, string>> = {
  disk: 'the disk kept it waiting',
  timer: 'a timer ended that wait, nobody else',
  interrupt: 'a device or the network ended that wait',
  kernel: 'the kernel itself ended that wait',
  unrecorded: 'who ended that wait was not recorded',
  nobody: 'who ended that wait is not known',
  index: 'no batch had been asked for',
  self: 'it woke itself',
  'not-woken': 'it was still waiting when the chain reached it',
};

interface Story {
  readonly clause: string;
  longest: Stretch;
  ns: number;
}

/** One sentence: what most of the time went to, on whose side, and why the chain ends there. */
export function endingOf(
  trace: Trace,
  rank: Rank | undefined,
  stretches: readonly Stretch[],
): string {
  const stories = new Map<string, Story>();
  let totalNs = 0;
  for (const stretch of stretches) {
    const clause = clauseOf(trace, rank, stretch);
    const key = `${stretch.thread} ${clause}`;
    const story = stories.get(key) ?? { longest: stretch, clause, ns: 0 };
    if (lengthOf(stretch) > lengthOf(story.longest)) story.longest = stretch;
    story.ns += lengthOf(stretch);
    stories.set(key, story);
    totalNs += lengthOf(stretch);
  }
  const [most] = [...stories.values()].sort((a, b) => b.ns - a.ns);
  if (most === undefined) return 'There is no time to explain.';
  return sentence(trace, rank, most, stretches, totalNs);
}

/** What is the same for all stretches that are told as one. */
function clauseOf(trace: Trace, rank: Rank | undefined, stretch: Stretch): string {
  const measured = measuredStretch(trace, stretch);
  if (measured !== undefined) return measuredReason(measured);
  if (stretch.kind === 'running') return 'ran';
  if (stretch.kind === 'runnable') return 'was ready, but had no CPU';
  return waitReason(trace, stretch, (thread) => labelThread(trace, thread, rank));
}

function sentence(
  trace: Trace,
  rank: Rank | undefined,
  { longest, clause, ns }: Story,
  stretches: readonly Stretch[],
  totalNs: number,
): string {
  const who = nameOf(labelThread(trace, longest.thread, rank));
  const share = `for ${formatDuration(ns)} of ${formatDuration(totalNs)}`;
  if (measuredStretch(trace, longest) !== undefined)
    return `The chain ends with ${who}: of ${formatDuration(totalNs)} it ${clause}${clause.endsWith('not known') ? ', nor who ran or woke it meanwhile' : ''}.`;
  if (longest.kind === 'unknown' && loaderReason(trace, longest) === undefined)
    return `The chain ends with ${who}: ${share} this trace does not show what it did.`;
  const where =
    longest.kind === 'running'
      ? mostSampled(trace, longest, stretches)
      : longestWaited(trace, longest);
  const why = longest.stop === undefined ? '' : `; ${whyNoFurther(trace, longest, longest.stop)}`;
  return `The chain ends with ${who}: ${share} it ${clause}${where}${why}.`;
}

/** `, the longest in read_item (train.py:12)`, where the stack of that wait is known. */
function longestWaited(trace: Trace, { kind, row, stop }: Stretch): string {
  const line = kind === 'blocked' && stop !== 'index' ? lineOfWait(trace, row) : undefined;
  return line === undefined ? '' : `, the longest in ${line}`;
}

/** Whoever is at the other end is named, also where it was not recorded. */
function whyNoFurther(trace: Trace, { row }: Stretch, stop: Stop): string {
  const peer = stop === 'unrecorded' || stop === 'interrupt' ? peerOf(trace, row) : undefined;
  if (peer === undefined) return stops[stop];
  return stop === 'unrecorded'
    ? `${peer.text} ended that wait, and what it did was not recorded`
    : `what came from ${peer.text} ended that wait`;
}

/** `, mostly in __getitem__ (train.py:12)`, where at least two samples of its running say so. */
function mostSampled(trace: Trace, { thread }: Stretch, stretches: readonly Stretch[]): string {
  const counts = new Map<string, number>();
  for (const { kind, startNs, endNs, thread: who } of stretches) {
    if (kind !== 'running' || who !== thread) continue;
    for (const sample of samplesWithin(trace, thread, [startNs, endNs])) {
      const line = lineOf(trace, sample);
      if (line !== undefined) counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most === undefined || most[1] < 2 ? '' : `, mostly in ${most[0]}`;
}
