import { percentiles } from '../../src-main/shared/numbers/percentile.ts';
import { formatDuration } from '../../src-main/shared/text/units.ts';

/** How high bars are drawn. */
export interface BarScale {
  /** What the full height stands for, ns; never 0. */
  readonly topNs: number;
  readonly longestNs: number;
  /** How many bars are longer than that: they are cut there, and marked. */
  readonly cutCount: number;
}

/** So many percent of the bars are seen whole, and so much room is above them. Our own choices. */
const SEEN_PERCENT = 90;
const ROOM_ABOVE = 1.25;
/** From so much more on, the longest bar would press the others flat. */
const FLATTENS = 2;

/** One bar that is far longer than the others does not press them flat: the scale ends below it. */
export function barScale(lengthsNs: readonly number[]): BarScale {
  const [seenNs = 0, longestNs = 0] = percentiles(Float64Array.from(lengthsNs), [
    SEEN_PERCENT,
    100,
  ]);
  const robustNs = seenNs * ROOM_ABOVE;
  const topNs = robustNs > 0 && longestNs > FLATTENS * robustNs ? robustNs : Math.max(1, longestNs);
  const cutCount = lengthsNs.filter((ns) => ns > topNs).length;
  return { topNs, longestNs, cutCount };
}

/** `longest step 292.2 ms`; where bars are cut `longest 292.2 ms; bars end at 75.00 ms`: it has no more room. */
export function scaleWords({ topNs, longestNs, cutCount }: BarScale): string {
  const longest = formatDuration(longestNs);
  return cutCount === 0
    ? `longest step ${longest}`
    : `longest ${longest}; bars end at ${formatDuration(topNs)}`;
}
