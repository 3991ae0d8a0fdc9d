/** Numbers as a person reads them: 3–4 significant digits, units named, nothing rounded to a false zero. */

/** The most that toFixed takes. */
const MAX_DECIMALS = 100;
/** Groups digits, and keeps a number and its unit on one line. */
export const NARROW_NO_BREAK_SPACE = '\u202f';

function significant(value: number, digits: number): string {
  if (value === 0) return '0';
  const text = value.toPrecision(digits);
  if (!text.includes('e')) return text;
  // toPrecision goes over to exponents above 10^digits and below 10^-6, toFixed above 10^21.
  if (Math.abs(value) >= 1) return String(BigInt(Math.round(value)));
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(decimals, MAX_DECIMALS));
}

function scaled(value: number, units: readonly (readonly [limit: number, name: string])[]): string {
  const magnitude = Math.abs(value);
  // A value that would round up to the next unit's 1 (999.96 µs) is shown in that unit.
  const unit = units.findLast(([limit]) => magnitude >= limit * 0.99995) ?? units[0];
  if (unit === undefined) return String(value);
  const [limit, name] = unit;
  const number = value / limit;
  const text = limit === 1 && Number.isInteger(value) ? String(value) : significant(number, 4);
  return `${text} ${name}`;
}

const DURATION_UNITS = [
  [1, 'ns'],
  [1e3, 'µs'],
  [1e6, 'ms'],
  [1e9, 's'],
] as const;

/** A duration in ns as `18.72 µs`, `65.00 ms`, `94.63 s`. */
export function formatDuration(ns: number): string {
  return Number.isFinite(ns) ? scaled(ns, DURATION_UNITS) : '–';
}

/** A duration that was set, not measured, in ns, without the zeros of one that was: `60 s`. */
export function formatRoundDuration(ns: number): string {
  return formatDuration(ns).replace(/\.0+ /, ' ');
}

/** A moment, ns from the trace's begin, as `+12.345 678 901 s`. Exact to the ns. */
export function formatMoment(ns: number): string {
  const sign = ns < 0 ? '−' : '+';
  const whole = Math.floor(Math.abs(ns) / 1e9);
  const rest = String(Math.round(Math.abs(ns) - whole * 1e9)).padStart(9, '0');
  return `${sign}${whole}.${rest.slice(0, 3)}${NARROW_NO_BREAK_SPACE}${rest.slice(3, 6)}${NARROW_NO_BREAK_SPACE}${rest.slice(6)} s`;
}

const BYTE_UNITS = [
  [1, 'B'],
  [2 ** 10, 'KiB'],
  [2 ** 20, 'MiB'],
  [2 ** 30, 'GiB'],
  [2 ** 40, 'TiB'],
] as const;

/** A size in bytes as `40 B`, `400.0 MiB`. */
export function formatBytes(bytes: number): string {
  return Number.isFinite(bytes) ? scaled(bytes, BYTE_UNITS) : '–';
}

const RATE_UNITS = [
  [1, 'B/s'],
  [1e3, 'kB/s'],
  [1e6, 'MB/s'],
  [1e9, 'GB/s'],
] as const;

/** A rate as `6.453 GB/s` (decimal gigabytes, as the field quotes PCIe), a slow one as `34.21 MB/s`. */
export function formatRate(bytes: number, ns: number): string {
  const bytesPerNs = bytes / ns;
  return ns > 0 && Number.isFinite(bytesPerNs) ? scaled(bytesPerNs * 1e9, RATE_UNITS) : '–';
}

/** A share of `whole` as `12.5 %`; a share too small to show reads `<0.1 %`, never 0. */
export function formatShare(part: number, whole: number): string {
  if (!(whole > 0)) return '–';
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)} %`;
}

/** A count with thousands separated, `191,835`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count with its noun: `1 copy`, `14 copies`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
