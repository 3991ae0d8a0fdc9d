/** This machine's date, read finer than Date tells it. */
export interface DateClock {
  /** ms since 1970, with fractions. */
  now(): number;
  /** At most so wrong, ms. */
  readonly uncertaintyMs: number;
}

/**
 * A clock that is set by the moment at which Date.now() next changes, which takes a millisecond. It is for some
 * seconds: of a date that is set, and of a machine that sleeps, it learns nothing, as performance.timeOrigin does not.
 */
export function dateClock(): DateClock {
  const before = Date.now();
  let [date, earliest, latest] = [before, 0, performance.now()];
  while (date === before) {
    earliest = latest;
    date = Date.now();
    latest = performance.now();
  }
  const uncertaintyMs = (latest - earliest) / 2;
  const origin = date - (earliest + latest) / 2;
  return { now: () => origin + performance.now(), uncertaintyMs };
}
