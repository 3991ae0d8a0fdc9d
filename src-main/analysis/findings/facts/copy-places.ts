import { NONE } from '../../../shared/model/schema.ts';
import { frameAt, type Stacks } from '../../../shared/model/stacks.ts';
import { loopCalls } from '../../loop/loop-calls.ts';
import { stackSigns } from '../../loop/stack-signs.ts';
import { isOwnCode } from '../../stacks/loader-stacks.ts';
import { placeText } from '../../stacks/place-text.ts';
import { CLEARLY } from './culprit.ts';
import type { RankFacts } from './facts.ts';

/** Where in the job's code most of some copies are made. */
interface CopyPlace {
  /** `bring_layer (train.py:40)`: what tells it from the copy of a batch, where it is another. */
  readonly place: string;
  /** Whether a step begins with copies that are made elsewhere: these are not the loader's batches. */
  readonly isBesideBatches: boolean;
}

/** Undefined where no call site has clearly most of the time of the copies, by stack, or none of the job's own code is known. */
export function placeOfCopies(
  facts: RankFacts,
  byStack: ReadonlyMap<number, number>,
): CopyPlace | undefined {
  const { stacks } = facts.trace;
  const { sites } = stackSigns(facts.trace);
  const stack = mostOf(byStack, sites);
  if (stack === undefined) return undefined;
  const batch = stackOfBatches(facts);
  const isBesideBatches = batch !== NONE && sites[batch] !== sites[stack];
  const own = ownFrames(stacks, stack);
  const ofBatch = new Set(ownFrames(stacks, batch).map((frame) => frameAt(stacks, frame).symbol));
  const frame = isBesideBatches
    ? (own.find((each) => !ofBatch.has(frameAt(stacks, each).symbol)) ?? own[0])
    : own[0];
  return frame === undefined ? undefined : { place: placeText(stacks, frame), isBesideBatches };
}

/** Of the copies’ time so much is of those whose stack was recorded, which is not done of each call of many. */
const KNOWN_SHARE = 0.1;

/** The stack with most of the time of the call site that has clearly most of what is known. */
function mostOf(byStack: ReadonlyMap<number, number>, sites: Int32Array): number | undefined {
  const nsOf = (entries: Iterable<readonly [number, number]>) =>
    [...entries].reduce((sum, [, ns]) => sum + ns, 0);
  const known = [...byStack].filter(([stack]) => (sites[stack] ?? NONE) !== NONE);
  const knownNs = nsOf(known);
  if (!(knownNs > 0) || knownNs < nsOf(byStack) * KNOWN_SHARE) return undefined;
  const own = [...Map.groupBy(known, ([stack]) => sites[stack]).values()].find(
    (entries) => nsOf(entries) >= knownNs * CLEARLY,
  );
  return own?.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

/** The stack of the call that steps begin with, of any step of which it was recorded; -1 where that is not known. */
function stackOfBatches({ trace, rank, steps }: RankFacts): number {
  if (steps.basis !== 'signature') return NONE;
  const { stack } = trace.tables.cuda_call.columns;
  const { rows, startsNs } = loopCalls(trace, rank.mainThread);
  for (const { startNs } of steps.steps) {
    const at = startsNs.lowerBound(startNs);
    const known = startsNs.nsAt(at) === startNs ? (stack?.[rows[at]] ?? NONE) : NONE;
    if (known !== NONE) return known;
  }
  return NONE;
}

/** Frames of the job's own code on a stack, innermost first. */
function ownFrames(stacks: Stacks, stack: number): number[] {
  const frames: number[] = [];
  for (let at = stack; at >= 0; at = stacks.prefix[at]) {
    const frame = stacks.frame[at];
    if (isOwnCode(frameAt(stacks, frame))) frames.push(frame);
  }
  return frames;
}
