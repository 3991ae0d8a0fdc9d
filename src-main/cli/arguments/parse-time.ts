/** ns of a unit; powers of ten but for the last two. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  // U+03BC, as many keyboards have it.
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  min: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A time as `12.5s`, `300 ms` or `1.5min`, in ns; `undefined` where it is none. Exact, rounded down to the ns. */
export function parseTime(text: string): number | undefined {
  const [, whole, decimals = '', unit = ''] =
    /^\s*(\d{1,19})(?:\.(\d{1,18}))?\s*([a-zµμ]+)\s*$/.exec(text) ?? [];
  const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (whole === undefined || factor === undefined) return undefined;
  const ns = (BigInt(whole + decimals) * factor) / 10n ** BigInt(decimals.length);
  return ns <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(ns) : undefined;
}
