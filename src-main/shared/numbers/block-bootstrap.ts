/**
 * How sure the ratio of two means is, where the values follow each other and neighbours are alike: steps of a
 * training loop, of which a slow one comes rarely alone. Blocks of neighbours are drawn instead of single values
 * (circular block bootstrap: Politis & Romano, 1992), so that what makes neighbours alike stays in.
 *
 * The means are compared, not the medians: a mean step times their number is how long the run takes, the parts of a
 * mean step sum to it, and the rare long stalls that Stalltrace looks for hardly move a median.
 */

export interface RatioInterval {
  /** Mean of the second over mean of the first. */
  readonly ratio: number;
  /** Meant to hold it in 95 of 100 runs; where neighbours are very alike it is 92 (block-bootstrap.test.ts). */
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1999;
const TAIL = 0.025;
/** By trial with simulated series: block-bootstrap.test.ts. */
const FACTOR = 2;
const NORMAL_QUANTILE = 1.959964;
/** Without so many values nothing is told of how much they vary. */
export const FEWEST_VALUES = 5;

/** The ratio of the means of `second` and `first`, undefined with too few values or a mean of 0. The same numbers give the same interval. */
export function ratioOfMeans(
  first: readonly number[],
  second: readonly number[],
): RatioInterval | undefined {
  if (Math.min(first.length, second.length) < FEWEST_VALUES) return undefined;
  const ratio = mean(second) / mean(first);
  if (!(ratio > 0) || !Number.isFinite(ratio)) return undefined;
  // The seed follows from the values, not from their place: swapped, the interval is exactly inverted.
  const isFirst = order(first, second) <= 0;
  const drawn = [resampled(isFirst ? first : second, 1), resampled(isFirst ? second : first, 2)];
  const [ofFirst, ofSecond] = isFirst ? drawn : drawn.toReversed();
  const logs = Float64Array.from(ofFirst.logs, (log, at) => ofSecond.logs[at] - log).sort();
  const cut = Math.round(TAIL * (RESAMPLES + 1));
  // Welch: the run that says less decides how far its own spread can be trusted.
  const freedom = welch(ofFirst, ofSecond);
  const wider = studentQuantile(freedom) / NORMAL_QUANTILE;
  return {
    ratio,
    low: ratio * Math.exp(wider * Math.min(0, logs[cut - 1])),
    high: ratio * Math.exp(wider * Math.max(0, logs[RESAMPLES - cut])),
  };
}

interface Resampled {
  /** Logarithms of resampled means over the mean. */
  readonly logs: Float64Array;
  readonly blocks: number;
}

function resampled(values: readonly number[], stream: number): Resampled {
  const count = values.length;
  const length = blockLength(values);
  const sums = new Float64Array(count + length + 1);
  for (let at = 0; at < count + length; at++) sums[at + 1] = sums[at] + values[at % count];
  const whole = Math.floor(count / length);
  const rest = count - whole * length;
  const next = random(stream);
  const middle = mean(values);
  // Blocks taken from one sample vary less than means of the population do, by the share of one block.
  const widening = Math.sqrt(1 / (1 - length / count));
  const logs = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let block = 0; block < whole; block++) sum += blockSum(sums, next(count), length);
    if (rest > 0) sum += blockSum(sums, next(count), rest);
    return sum > 0 ? widening * Math.log(sum / count / middle) : -50;
  });
  return { logs, blocks: count / length };
}

function blockSum(sums: Float64Array, from: number, length: number): number {
  return sums[from + length] - sums[from];
}

function welch(first: Resampled, second: Resampled): number {
  const [one, other] = [first, second].map(({ logs, blocks }) => {
    const variance = logs.reduce((sum, log) => sum + log * log, 0) / logs.length;
    return { variance, freedom: Math.max(1, blocks - 1) };
  });
  const both = one.variance + other.variance;
  if (both === 0) return one.freedom + other.freedom;
  return both ** 2 / (one.variance ** 2 / one.freedom + other.variance ** 2 / other.freedom);
}

/** The 97.5th percentile of Student's t (Cornish–Fisher: Abramowitz & Stegun 26.7.5). */
export function studentQuantile(freedom: number): number {
  const x = NORMAL_QUANTILE;
  const terms = [
    (x ** 3 + x) / 4,
    (5 * x ** 5 + 16 * x ** 3 + 3 * x) / 96,
    (3 * x ** 7 + 19 * x ** 5 + 17 * x ** 3 - 15 * x) / 384,
    (79 * x ** 9 + 776 * x ** 7 + 1482 * x ** 5 - 1920 * x ** 3 - 945 * x) / 92160,
  ];
  return terms.reduce((sum, term, at) => sum + term / Math.max(2, freedom) ** (at + 1), x);
}

/**
 * How many neighbours are drawn together: as far as they are alike, by the rule of Politis & White (2004, as corrected
 * by Patton, Politis & White, 2009) for circular blocks, and FACTOR times that: its blocks are best for the error of
 * the variance, and make intervals too narrow, which is the worse mistake here. At least the cube root of the number, since
 * few values hide that they are alike; a quarter of them at most, so that there are some blocks.
 */
export function blockLength(values: readonly number[]): number {
  const count = values.length;
  const longest = Math.max(1, Math.floor(count / 4));
  const shortest = Math.min(longest, Math.ceil(Math.cbrt(count)));
  const alike = autocovariances(values, Math.min(count - 1, 2 * longest));
  if (!(alike[0] > 0)) return shortest;
  const within = Math.max(5, Math.ceil(Math.sqrt(Math.log10(count))));
  const notable = 2 * Math.sqrt(Math.log10(count) / count);
  let last = 0;
  for (let lag = 1, quiet = 0; lag < alike.length && quiet < within; lag++) {
    if (Math.abs(alike[lag] / alike[0]) < notable) quiet++;
    else [last, quiet] = [lag, 0];
  }
  if (last === 0) return shortest;
  let slope = 0;
  let spectrum = alike[0];
  for (let lag = 1; lag <= Math.min(2 * last, alike.length - 1); lag++) {
    // Flat top: 1 up to half, then down to 0.
    const weight = Math.min(1, 2 * (1 - lag / (2 * last)));
    slope += 2 * weight * lag * alike[lag];
    spectrum += 2 * weight * alike[lag];
  }
  const length = Math.cbrt(((2 * slope ** 2) / ((4 / 3) * spectrum ** 2)) * count);
  const wanted = Number.isFinite(length) ? Math.ceil(FACTOR * length) : longest;
  return Math.min(longest, Math.max(shortest, wanted));
}

function autocovariances(values: readonly number[], lags: number): Float64Array {
  const middle = mean(values);
  return Float64Array.from({ length: lags + 1 }, (_, lag) => {
    let sum = 0;
    for (let at = lag; at < values.length; at++)
      sum += (values[at] - middle) * (values[at - lag] - middle);
    return sum / values.length;
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Any order of series that has nothing to do with which is first. */
function order(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return one.length - other.length;
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : one[at] - other[at];
}

/** Integers from 0 up to a limit, which is not among them, always the same ones (mulberry32). */
function random(seed: number): (limit: number) => number {
  let state = Math.imul(seed, 0x9e3779b9) >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
