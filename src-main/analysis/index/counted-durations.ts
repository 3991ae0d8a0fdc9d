import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { nearestRank, smallestInPieces } from '../../shared/numbers/percentile.ts';
import { inPieces, type Pieces } from '../../shared/numbers/pieces.ts';

/** Shorter durations are counted by their length in ns, longer ones are listed: few calls take a millisecond. */
const COUNTED_BELOW_NS = 2 ** 20;

/** Takes durations one by one. */
export class DurationCounter {
  /** Of each length, ns. */
  readonly #counts = new Uint32Array(COUNTED_BELOW_NS);
  readonly #longNs: number[] = [];
  #maxNs = 0;

  add(ns: number): void {
    if (ns > this.#maxNs) this.#maxNs = ns;
    // Lengths are whole ns: one that a damaged file has otherwise is listed too, and percentiles may be off by it.
    if (ns >>> 0 === ns && ns < COUNTED_BELOW_NS) this.#counts[ns]++;
    else this.#longNs.push(ns);
  }

  /** All that were taken, without those lengths that none has; in pieces. */
  *counted(): Pieces<CountedDurations> {
    const counts = this.#counts.subarray(0, this.#maxNs + 1);
    let different = 0;
    yield* inPieces(counts.length, (from, to) => {
      for (let ns = from; ns < to; ns++) if (counts[ns] > 0) different++;
    });
    const lengthsNs = new Int32Array(different);
    const upTo = new Int32Array(different);
    let at = 0;
    let sum = 0;
    yield* inPieces(counts.length, (from, to) => {
      for (let ns = from; ns < to; ns++) {
        if (counts[ns] === 0) continue;
        sum += counts[ns];
        lengthsNs[at] = ns;
        upTo[at++] = sum;
      }
    });
    return new CountedDurations(lengthsNs, upTo, Float64Array.from(this.#longNs), this.#maxNs);
  }
}

/** How long many calls took: the rank of each is told without a list of all. */
export class CountedDurations {
  readonly count: number;
  readonly maxNs: number;
  /** The different lengths of short ones, ascending. */
  readonly #lengthsNs: Int32Array;
  /** How many are as long as each of these at most. */
  readonly #upTo: Int32Array;
  readonly #short: number;
  /** The long ones, in no order. */
  readonly #longNs: Float64Array;

  constructor(lengthsNs: Int32Array, upTo: Int32Array, longNs: Float64Array, maxNs: number) {
    this.#lengthsNs = lengthsNs;
    this.#upTo = upTo;
    this.#short = upTo.at(-1) ?? 0;
    this.#longNs = longNs;
    this.count = this.#short + longNs.length;
    this.maxNs = maxNs;
  }

  /** How many took longer than `ns`. */
  longerThan(ns: number): number {
    const shorter = upperBound(this.#lengthsNs, ns);
    let longer = this.#short - (shorter === 0 ? 0 : this.#upTo[shorter - 1]);
    for (let at = 0; at < this.#longNs.length; at++) if (this.#longNs[at] > ns) longer++;
    return longer;
  }

  /** See percentiles; in pieces. All 0 where there are none. */
  *percentiles(percents: readonly number[]): Pieces<number[]> {
    if (this.count === 0) return percents.map(() => 0);
    const ranks = percents.map((percent) => nearestRank(this.count, percent));
    const ofLong = ranks.filter((rank) => rank > this.#short).map((rank) => rank - this.#short);
    const longNs = ofLong.length === 0 ? [] : yield* smallestInPieces(this.#longNs, ofLong);
    let next = 0;
    return ranks.map((rank) =>
      rank > this.#short ? longNs[next++] : this.#lengthsNs[lowerBound(this.#upTo, rank)],
    );
  }
}
