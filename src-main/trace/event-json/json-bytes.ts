/**
 * JSON as bytes, for files that no string has room for. A position is returned where something was read;
 * else `MORE`, or less than that.
 */

/** The bytes at hand end before the value does. */
export const MORE = -1;
/** What stands at `at` is no JSON: less than `MORE`. */
export function wrongAt(at: number): number {
  return MORE - 1 - at;
}
/** Where it is no JSON. */
export function placeOfWrong(wrong: number): number {
  return MORE - 1 - wrong;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** The first byte from `at` on that is no white space. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && bytes[next] <= SPACE) next++;
  return next;
}

/** Behind the string whose opening quote stands before `at`. Raw control characters are none of JSON's. */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at; next < end; next++) {
    const byte = bytes[next];
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next++;
    else if (byte < SPACE) return wrongAt(next);
  }
  return MORE;
}

/** Behind the value that begins at `at`; a number may be any word, as `inf` and `NaN` are. */
export function skipValue(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return MORE;
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at + 1, end);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(bytes, at, end);
  return skipWord(bytes, at, end);
}

function skipWord(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at; next < end; next++) {
    const byte = bytes[next];
    if (byte > SPACE && byte !== COMMA && byte !== CLOSE_OBJECT && byte !== CLOSE_ARRAY) continue;
    return next === at ? wrongAt(at) : next;
  }
  return MORE;
}

function skipNested(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0;
  for (let next = at; next < end; next++) {
    const byte = bytes[next];
    if (byte === QUOTE) {
      const behind = skipString(bytes, next + 1, end);
      if (behind < 0) return behind;
      next = behind - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return next + 1;
  }
  return MORE;
}

/** The number from `at` to `end`, also one that stands in quotes; NaN where it is none, or infinite. */
export function numberAt(bytes: Uint8Array, at: number, end: number): number {
  const [from, to] = bytes[at] === QUOTE ? [at + 1, end - 1] : [at, end];
  let value = 0;
  for (let next = from; next < to; next++) {
    const digit = bytes[next] - 0x30;
    if (digit < 0 || digit > 9) return uncommonNumber(bytes, from, to);
    value = value * 10 + digit;
  }
  return to > from && value <= Number.MAX_SAFE_INTEGER ? value : uncommonNumber(bytes, from, to);
}

/** Longer texts are no numbers that anybody writes. */
const MAX_DIGITS = 64;

function uncommonNumber(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from || to - from > MAX_DIGITS) return Number.NaN;
  const value = Number(String.fromCharCode(...bytes.subarray(from, to)));
  return Number.isFinite(value) ? value : Number.NaN;
}
