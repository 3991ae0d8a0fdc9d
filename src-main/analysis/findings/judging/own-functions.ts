import { NONE } from '../../../shared/model/schema.ts';
import type { Stacks } from '../../../shared/model/stacks.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { onceFor } from '../../index/per-trace.ts';
import { sureShare } from '../../input/assumed-stretch.ts';
import type { RankFacts } from '../facts/facts.ts';
import { samplesOf, worksOf } from './judge-host.ts';

/** A function in which the loop did work that no rule has a name for. */
export interface OwnFunction {
  /** `digest_file (upload.py:63)`. */
  readonly place: string;
  /** Its samples, rows of cpu_sample. */
  readonly rows: readonly number[];
  /** Indices into the evidence. */
  readonly at: readonly number[];
}

interface OwnFunctions {
  /** All samples of such work, rows of cpu_sample. */
  readonly samples: readonly number[];
  /** Most samples first. */
  readonly functions: readonly OwnFunction[];
}

/** What the loop computes that no rule has a name for, by function. Once per rank. */
export const ownFunctions = onceFor((facts: RankFacts) => facts, findFunctions);

function findFunctions(facts: RankFacts): OwnFunctions {
  const own = worksOf(facts).filter(({ kind, ranNs }) => kind === 'none' && ranNs > 0);
  const samples = own.flatMap(({ at }) => samplesOf(facts, at));
  const functions = own
    .filter((work): work is HostWork & { place: string } => work.place !== undefined)
    .map(({ place, at }) => ({ place, at, rows: samplesOf(facts, at) }))
    .sort((a, b) => b.rows.length - a.rows.length);
  return { samples, functions };
}

/**
 * Of all such work, how much can go with the function at most, 0…1: what it calls too, and samples tell shares only so
 * well.
 */
export function mostWithin(facts: RankFacts, own: OwnFunction): number {
  const { samples } = ownFunctions(facts);
  const within = samplesWithin(facts, own, samples);
  return 1 - sureShare(samples.length - within.length, samples.length);
}

/** Those of `samples`, rows of cpu_sample, that were in the function or in what it calls. */
export function samplesWithin(
  { trace, host }: RankFacts,
  { at }: OwnFunction,
  samples: readonly number[],
): number[] {
  const place = host.evidence.place[at[0]];
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  return samples.filter((row) => isWithin(trace.stacks, stacks?.[row] ?? NONE, place));
}

/** Whether one calls the other, by most of its samples: then less work in it may end that of both. */
export function areRelated(facts: RankFacts, one: OwnFunction, other: OwnFunction): boolean {
  const isBelow = ({ rows }: OwnFunction, above: OwnFunction) =>
    samplesWithin(facts, above, rows).length >= rows.length / 2;
  return isBelow(one, other) || isBelow(other, one);
}

/** Whether a frame of `stack` is of the function whose frame is the innermost of `place`. */
function isWithin({ prefix, frame, frames }: Stacks, stack: number, place: number): boolean {
  const own = frame[place];
  for (let at = stack; at >= 0; at = prefix[at]) {
    const each = frame[at];
    if (frames.symbol[each] === frames.symbol[own] && frames.file[each] === frames.file[own])
      return true;
  }
  return false;
}
