import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './json-bytes.ts';

/** Called for each argument: its key between `keyFrom` and `keyTo`, its value between `from` and `to`. */
export type OnArgument = (
  bytes: Buffer,
  keyFrom: number,
  keyTo: number,
  from: number,
  to: number,
) => void;

/** Walks the arguments of an event, which stand between `at` and `end`; ends early where they are no JSON. */
export function readArguments(
  bytes: Buffer,
  at: number,
  end: number,
  onArgument: OnArgument,
): void {
  for (let next = skipSpace(bytes, at + 1, end); next < end && bytes[next] === QUOTE; ) {
    const keyEnd = skipString(bytes, next + 1, end);
    if (keyEnd < 0) return;
    const colon = skipSpace(bytes, keyEnd, end);
    if (colon >= end || bytes[colon] !== COLON) return;
    const value = skipSpace(bytes, colon + 1, end);
    const behind = skipValue(bytes, value, end);
    if (behind < 0) return;
    onArgument(bytes, next + 1, keyEnd - 1, value, behind);
    next = skipSpace(bytes, behind, end);
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1, end);
    else if (bytes[next] === CLOSE_OBJECT) return;
  }
}

/** Calls `onItem` for each item of the array between `at` and `end`. */
export function readItems(
  bytes: Buffer,
  at: number,
  end: number,
  onItem: (place: number, from: number, to: number) => void,
): void {
  let next = skipSpace(bytes, at + 1, end);
  for (let place = 0; next < end && bytes[next] !== CLOSE_ARRAY; place++) {
    const behind = skipValue(bytes, next, end);
    if (behind < 0) return;
    onItem(place, next, behind);
    next = skipSpace(bytes, behind, end);
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1, end);
  }
}
