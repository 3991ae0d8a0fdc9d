/** A seeded source of numbers: mulberry32, the same sequence on every machine. */
export type Random = (low: number, high: number) => number;

/** Integers from `low` to `high`, both included, evenly spread. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (low, high) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const unit = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    return low + Math.floor(unit * (high - low + 1));
  };
}
