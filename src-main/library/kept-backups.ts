/** Beside the two newest: the last of each of three days, and of each of four weeks. */
const NEWEST = 2;
const DAYS = 3;
const WEEKS = 4;
const DAY_MS = 24 * 3_600_000;
/** 1970-01-01 was a Thursday: weeks begin on Monday. */
const TO_MONDAY_MS = 3 * DAY_MS;

/** Which generations stay, of names as `2026-11-22T23-40-11Z`. */
export function keptBackups(names: readonly string[]): ReadonlySet<string> {
  const newestFirst = [...names].sort().reverse();
  return new Set([
    ...newestFirst.slice(0, NEWEST),
    ...firstOfEach(newestFirst, DAYS, (atMs) => Math.floor(atMs / DAY_MS)),
    ...firstOfEach(newestFirst, WEEKS, (atMs) => Math.floor((atMs + TO_MONDAY_MS) / (7 * DAY_MS))),
  ]);
}

function firstOfEach(
  newestFirst: readonly string[],
  count: number,
  spanOf: (atMs: number) => number,
): string[] {
  const spans = new Map<number, string>();
  for (const name of newestFirst) {
    const span = spanOf(Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')));
    if (!spans.has(span)) spans.set(span, name);
  }
  return [...spans.values()].slice(0, count);
}
