import type { FlameDifference } from '../../shared/answers/flame-difference.ts';
import { pathNames } from './folded-stacks.ts';

/** Decimals of samples: of a mean step there may be less than one. */
const DECIMALS = 3;

/**
 * Two runs in the folded format of flamegraph.pl for differences: a line for each stack with weight of its own
 * in either, then its weight in the first run and in the second.
 */
export function foldedDifference({ tree, first, second }: FlameDifference): string[] {
  const number = (value: number) =>
    tree.unit === 'samples' ? value.toFixed(DECIMALS) : String(Math.round(value));
  return pathNames(tree).flatMap((path, node) => {
    const [was, is] = [first.self[node] ?? 0, second.self[node] ?? 0].map(number);
    return Number(was) > 0 || Number(is) > 0 ? [`${path} ${was} ${is}`] : [];
  });
}
