import type { HostPart, HostTimeParts } from '../../shared/answers/host-time.ts';
import { type HostWork, waitsOf } from '../host/host-parts.ts';
import type { RankFacts } from './facts/facts.ts';
import { windowNs } from './facts/job-shape.ts';
import { worksOf } from './judging/judge-host.ts';

/** Less time of a phase than this needs no lines. The published threshold of an input-bound job. */
export const TOLD_SHARE = 0.1;
/** A line with less than this is left to the rest. */
export const LINE_SHARE = 0.01;
export const MOST_LINES = 8;

/** The loop's other time by line and cause, told by findings or not; undefined where it is little, or no line is known. */
export function hostBreakdown(facts: RankFacts): HostTimeParts | undefined {
  const ns = facts.split.other;
  const lengthNs = windowNs(facts);
  if (facts.steps.isSelection === true || !(ns > 0) || ns < lengthNs * TOLD_SHARE) return undefined;
  const seen = worksOf(facts);
  const seenNs = seen.reduce((sum, work) => sum + work.ns, 0);
  // Samples weigh what was found between waits; by rounding that may be a little more than there is.
  const scale = seenNs > ns ? ns / seenNs : 1;
  const parts = seen
    .filter((work) => work.ns * scale >= lengthNs * LINE_SHARE)
    .slice(0, MOST_LINES)
    .map((work) => partOf(facts, work, scale));
  if (parts.length === 0) return undefined;
  const toldNs = parts.reduce((sum, part) => sum + part.ns, 0);
  return { ns, parts, restNs: Math.max(0, ns - toldNs) };
}

function partOf(facts: RankFacts, work: HostWork, scale: number): HostPart {
  const { kind, place, ns, ranNs, at } = work;
  const [wait] = waitsOf(facts.trace, facts.host, at);
  const often = facts.repeats(at);
  const isAsleep = wait !== undefined && ranNs < ns / 2;
  return {
    kind,
    ...(place !== undefined && { place }),
    ...(often !== undefined && { often: often.text }),
    state: isAsleep ? `asleep, waiting for ${wait.text}` : 'on a CPU, or waiting for one',
    ns: Math.round(ns * scale),
  };
}
