/** Beside the two newest: the last of each of three days, and of each of four weeks. */
const NEWEST = 2;
const DAYS = 3;
const WEEKS = 4;
const DAY_MS = 24 * 3_600_000;
/** 1970-01-01 was a Thursday: weeks begin on Monday. */
const TO_MONDAY_MS = 3 * DAY_MS;

/** Clocks of machines that share a data folder differ by less. */
const CLOCK_MS = 60_000;

/** When the generation `name`, as `2026-11-22T23-40-11Z`, was made, ms since 1970. */
function madeAtMs(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
}

/** Whether the clock was ahead when it was made: how new it is nobody knows. */
export function isOfTheFuture(name: string, nowMs = Date.now()): boolean {
  return madeAtMs(name) > nowMs + CLOCK_MS;
}

/** Newest first; those of a clock that was ahead last. */
export function newestFirst(names: readonly string[], nowMs = Date.now()): string[] {
  const sorted = [...names].sort().reverse();
  const isAhead = (name: string) => isOfTheFuture(name, nowMs);
  return [...sorted.filter((name) => !isAhead(name)), ...sorted.filter(isAhead)];
}

/** Which generations stay. One of a clock that was ahead stays until its time has come. */
export function keptBackups(names: readonly string[], nowMs = Date.now()): ReadonlySet<string> {
  const ahead = names.filter((name) => isOfTheFuture(name, nowMs)).sort();
  const sorted = newestFirst(
    names.filter((name) => !ahead.includes(name)),
    nowMs,
  );
  return new Set([
    ...ahead.slice(-NEWEST),
    ...sorted.slice(0, NEWEST),
    ...firstOfEach(sorted, DAYS, (atMs) => Math.floor(atMs / DAY_MS)),
    ...firstOfEach(sorted, WEEKS, (atMs) => Math.floor((atMs + TO_MONDAY_MS) / (7 * DAY_MS))),
  ]);
}

function firstOfEach(
  sorted: readonly string[],
  count: number,
  spanOf: (atMs: number) => number,
): string[] {
  const spans = new Map<number, string>();
  for (const name of sorted) {
    const span = spanOf(madeAtMs(name));
    if (!spans.has(span)) spans.set(span, name);
  }
  return [...spans.values()].slice(0, count);
}
