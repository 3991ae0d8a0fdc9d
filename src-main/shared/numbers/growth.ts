import { midpoint } from './percentile.ts';

/** What a series grew from and to: the middle of its first quarter, and that of its last. */
export interface Growth {
  readonly from: number;
  readonly to: number;
}

/** A series is looked at in so many parts of equal length, by the middle of each: what is rare in a part does not count. */
const PARTS = 12;
const QUARTER = PARTS / 4;
/** Of its begin so much is left out: what is done for the first time takes longer, or less. Our own choice, as are the next. */
const WARM_UP = 0.1;
/** Less growth is not told. */
const LEAST_RATIO = 1.5;
/** Of the growth no two neighbouring parts make up more: what changes at once is no growth. */
const MOST_AT_ONCE = 0.4;
/**
 * How many more of the 66 pairs of parts rise than fall, at least: by chance 4 of 10,000 series without a trend reach that
 * (Mann, Econometrica 13, 1945; Kendall, Rank Correlation Methods, 1975).
 */
const MOST_RISE = 50;

/** A series with fewer values is too short: PARTS of it, besides its begin. */
const LEAST_VALUES = Math.ceil(PARTS / (1 - WARM_UP));

/**
 * How `values`, none negative, in order of time, grow from the begin of the series to its end; undefined where they do not,
 * where they only jump, or where it may be chance.
 */
export function growthOf(values: ArrayLike<number>): Growth | undefined {
  if (values.length < LEAST_VALUES) return undefined;
  const parts = middlesOf(values);
  const from = midpoint(parts.slice(0, QUARTER));
  const to = midpoint(parts.slice(-QUARTER));
  if (!(from > 0) || to < from * LEAST_RATIO) return undefined;
  const rises = parts.slice(1).map((middle, at) => middle - parts[at]);
  if (rises.some((rise) => Math.abs(rise) > (to - from) * MOST_AT_ONCE)) return undefined;
  return risesLessFalls(parts) >= MOST_RISE ? { from, to } : undefined;
}

/** Where the part `part` of `length` values begins, without the warm-up; that behind the last is the end. */
function partBegin(length: number, part: number): number {
  const first = Math.floor(length * WARM_UP);
  return first + Math.round(((length - first) * part) / PARTS);
}

/** The means of the first and the last quarter of a series, as `growthOf` looks at them. */
export function quarterMeans(values: ArrayLike<number>): Growth {
  const meanOf = (fromPart: number, toPart: number) => {
    const [from, to] = [partBegin(values.length, fromPart), partBegin(values.length, toPart)];
    let sum = 0;
    for (let at = from; at < to; at++) sum += values[at];
    return sum / Math.max(1, to - from);
  };
  return { from: meanOf(0, QUARTER), to: meanOf(PARTS - QUARTER, PARTS) };
}

function middlesOf(values: ArrayLike<number>): number[] {
  const all = Array.from(values);
  return Array.from({ length: PARTS }, (_, part) =>
    midpoint(all.slice(partBegin(all.length, part), partBegin(all.length, part + 1))),
  );
}

/** Of all pairs of `parts`, how many rise from the earlier to the later, less how many fall: the statistic of Mann and Kendall. */
function risesLessFalls(parts: readonly number[]): number {
  return parts.reduce(
    (sum, middle, at) =>
      sum + parts.slice(at + 1).reduce((own, later) => own + Math.sign(later - middle), 0),
    0,
  );
}
