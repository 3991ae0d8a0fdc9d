import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { placeText } from '../../stacks/place-text.ts';
import { functionOf } from './culprit.ts';

/** With fewer samples of one kind it may be chance. */
export const FEW_SAMPLES = 5;

/**
 * The only function among `stacks`, rows of the stacks, at its commonest line, by the row that `rowOf` gives for each; undefined
 * where two were seen, or none. Which function a loader was given is a fact that few looks prove: it is called for every batch.
 */
export function onlyFunction(
  { stacks }: Trace,
  seen: Iterable<number>,
  rowOf: Int32Array,
): string | undefined {
  // Many looks have few stacks: names are made once for each.
  const counts = new Map<number, number>();
  for (const stack of seen) {
    const at = rowOf[stack] ?? NONE;
    if (at >= 0) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const lines = new Map<string, number>();
  for (const [at, count] of counts) {
    const place = placeText(stacks, stacks.frame[at]);
    lines.set(place, (lines.get(place) ?? 0) + count);
  }
  if (new Set([...lines.keys()].map(functionOf)).size !== 1) return undefined;
  return [...lines].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/**
 * The function that most of `rows` (of cpu_sample) were in, `pad (train.py:30)`, by the row of the stacks that `rowOf` gives
 * for the stack of each, below 0 where it has none: undefined where fewer than `share` of them were.
 */
export function mostSampled(
  { stacks, tables }: Trace,
  rows: readonly number[],
  rowOf: Int32Array,
  share: number,
): string | undefined {
  const { stack } = tables.cpu_sample.columns;
  const byName = new Map<string, { count: number; readonly place: string }>();
  for (const row of rows) {
    const at = rowOf[stack?.[row] ?? NONE] ?? NONE;
    if (at < 0) continue;
    const place = placeText(stacks, stacks.frame[at]);
    const known = byName.get(functionOf(place)) ?? { count: 0, place };
    known.count++;
    byName.set(functionOf(place), known);
  }
  const [most] = [...byName.values()].sort((a, b) => b.count - a.count);
  const isSeen = most !== undefined && most.count >= FEW_SAMPLES;
  return isSeen && most.count >= rows.length * share ? most.place : undefined;
}
