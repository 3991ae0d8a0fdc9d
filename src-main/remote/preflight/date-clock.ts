/** This machine's date, read finer than Date tells it. */
export interface DateClock {
  /** ms since 1970, with fractions. */
  now(): number;
  /** At most so wrong, ms. */
  readonly uncertaintyMs: number;
}

interface Clocks {
  /** ms since 1970, whole. */
  date(): number;
  /** ms, with fractions, of a clock that never jumps. */
  monotonic(): number;
}

const ofThisMachine: Clocks = { date: () => Date.now(), monotonic: () => performance.now() };

/**
 * A clock that is set by the moment at which Date.now() next changes, which takes a millisecond. It is for some
 * seconds: of a date that is set, and of a machine that sleeps, it learns nothing, as performance.timeOrigin does not.
 */
export function dateClock({ date, monotonic }: Clocks = ofThisMachine): DateClock {
  // The date changes after `earliest`: it was still the old one when it was read after that moment.
  let earliest = monotonic();
  const before = date();
  let read = monotonic();
  let changed = date();
  while (changed === before) {
    earliest = read;
    read = monotonic();
    changed = date();
  }
  const latest = monotonic();
  const uncertaintyMs = (latest - earliest) / 2;
  const origin = changed - (earliest + latest) / 2;
  return { now: () => origin + monotonic(), uncertaintyMs };
}
