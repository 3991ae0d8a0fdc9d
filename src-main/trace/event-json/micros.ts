import { numberAt, QUOTE } from './json-bytes.ts';

const DOT = 0x2e;
const MINUS = 0x2d;
/** Of these digits an integer is exact. */
const EXACT_DIGITS = 15;

/**
 * The microseconds from `at` to `end`, in ns after `base` microseconds. The figures before and behind the point
 * are read apart: 1712195495519689.8 has no exact 64-bit float, its distance from another has. NaN = no number.
 */
export function nsAfter(bytes: Uint8Array, at: number, end: number, baseUs: number): number {
  let [next, to] = bytes[at] === QUOTE ? [at + 1, end - 1] : [at, end];
  const isNegative = bytes[next] === MINUS;
  if (isNegative) next++;
  const first = next;
  let whole = 0;
  for (; next < to && bytes[next] !== DOT; next++) {
    const digit = bytes[next] - 0x30;
    if (digit < 0 || digit > 9) return inexact(bytes, at, end, baseUs);
    whole = whole * 10 + digit;
  }
  if (next === first || next - first > EXACT_DIGITS + 1) return inexact(bytes, at, end, baseUs);
  const nanos = next < to ? fractionNs(bytes, next + 1, to) : 0;
  if (Number.isNaN(nanos)) return inexact(bytes, at, end, baseUs);
  return isNegative ? (-whole - baseUs) * 1000 - nanos : (whole - baseUs) * 1000 + nanos;
}

/** `0.1234` µs are 123 ns: figures behind the third are no time that a clock tells. */
function fractionNs(bytes: Uint8Array, from: number, to: number): number {
  let nanos = 0;
  for (let place = 0; place < 4; place++) {
    const digit = from + place < to ? bytes[from + place] - 0x30 : 0;
    if (digit < 0 || digit > 9) return Number.NaN;
    nanos = nanos * 10 + digit;
  }
  for (let rest = from + 4; rest < to; rest++)
    if (bytes[rest] < 0x30 || bytes[rest] > 0x39) return Number.NaN;
  return Math.round(nanos / 10);
}

function inexact(bytes: Uint8Array, at: number, end: number, baseUs: number): number {
  return Math.round((numberAt(bytes, at, end) - baseUs) * 1000);
}
