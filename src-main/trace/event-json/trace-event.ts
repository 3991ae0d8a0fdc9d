import { EVENT } from '../../native/event-scan.ts';
import {
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MORE,
  numberAt,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
  wrongAt,
} from './json-bytes.ts';
import { nsAfter } from './micros.ts';
import type { TextTable } from './text-table.ts';

/** A process or thread of an event that names none. */
export const NO_TASK = 2 ** 34;
/** Tasks that are texts, as `Spans`, are numbered from here on, by the number of the text. */
export const TEXT_TASK = 2 ** 33;
/** No text of the file. */
const NO_TEXT = -1;

/**
 * One event of the Trace Event Format, as far as every reader of one needs it. There is one such object:
 * the next event stands in the same one. Texts are numbers of the file's `TextTable`.
 */
export class TraceEvent {
  /** `X`, `B`, `M` …, as its character code; 0 = not said. */
  phase = 0;
  category = NO_TEXT;
  name = NO_TEXT;
  /** A number, a text's from TEXT_TASK on, or NO_TASK. */
  process = NO_TASK;
  thread = NO_TASK;
  /** After the base time, ns; NaN = not said. */
  startNs = Number.NaN;
  /** NaN = not said. */
  durationNs = Number.NaN;
  /** Where the id of an asynchronous event stands among the bytes at hand; 0 = it has none. */
  idFrom = 0;
  idTo = 0;
  /** Where its arguments begin and end among the bytes at hand; 0 = it has none. */
  argsFrom = 0;
  argsTo = 0;
  /** Where native code told the event, and its arguments with it: the first of its cells among them. */
  cells: Float64Array | undefined;
  cellsAt = 0;

  /** What native code told, from cell `at` on. */
  take(cells: Float64Array, at: number): void {
    this.phase = cells[at + EVENT.phase];
    this.category = cells[at + EVENT.category];
    this.name = cells[at + EVENT.name];
    this.process = cells[at + EVENT.process];
    this.thread = cells[at + EVENT.thread];
    this.startNs = cells[at + EVENT.startNs];
    this.durationNs = cells[at + EVENT.durationNs];
    this.idFrom = cells[at + EVENT.idFrom];
    this.idTo = cells[at + EVENT.idTo];
    this.argsFrom = cells[at + EVENT.argsFrom];
    this.argsTo = cells[at + EVENT.argsTo];
    this.cells = cells;
    this.cellsAt = at;
  }

  clear(): void {
    this.phase = 0;
    this.category = NO_TEXT;
    this.name = NO_TEXT;
    this.process = NO_TASK;
    this.thread = NO_TASK;
    this.startNs = Number.NaN;
    this.durationNs = Number.NaN;
    this.idFrom = 0;
    this.idTo = 0;
    this.argsFrom = 0;
    this.argsTo = 0;
    this.cells = undefined;
  }
}

/** What the readers of all events of a file share. */
export interface EventContext {
  readonly texts: TextTable;
  /** Times are told from here on, µs. */
  readonly baseUs: number;
}

/**
 * Reads the event whose brace stands at `at` into `event`. Behind it, `MORE` where the bytes end before it does,
 * less where it is no JSON: then what stands in `event` means nothing.
 */
export function readEvent(
  event: TraceEvent,
  { texts, baseUs }: EventContext,
  bytes: Uint8Array,
  at: number,
  end: number,
): number {
  event.clear();
  let next = skipSpace(bytes, at + 1, end);
  for (;;) {
    if (next >= end) return MORE;
    if (bytes[next] === CLOSE_OBJECT) return next + 1;
    if (bytes[next] !== QUOTE) return wrongAt(next);
    const key = next + 1;
    const keyEnd = skipString(bytes, key, end);
    if (keyEnd < 0) return keyEnd;
    next = skipSpace(bytes, keyEnd, end);
    if (next >= end) return MORE;
    if (bytes[next] !== COLON) return wrongAt(next);
    const value = skipSpace(bytes, next + 1, end);
    const valueEnd = skipValue(bytes, value, end);
    if (valueEnd < 0) return valueEnd;
    setField(event, texts, baseUs, bytes, key, keyEnd - 1, value, valueEnd);
    next = skipSpace(bytes, valueEnd, end);
    if (next >= end) return MORE;
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1, end);
    else if (bytes[next] !== CLOSE_OBJECT) return wrongAt(next);
  }
}

const key = (text: string) => text.charCodeAt(0) * 256 + text.charCodeAt(text.length - 1);
const PH = key('ph');
const TS = key('ts');
const ID = key('id');
const CAT = key('cat');
const PID = key('pid');
const TID = key('tid');
const DUR = key('dur');
const NAME = key('name');
const ARGS = key('args');

/** Keys are told by length, first and last letter: there are nine, and no two are alike. */
function setField(
  event: TraceEvent,
  texts: TextTable,
  baseUs: number,
  bytes: Uint8Array,
  keyFrom: number,
  keyTo: number,
  from: number,
  to: number,
): void {
  const letters = bytes[keyFrom] * 256 + bytes[keyTo - 1];
  switch (keyTo - keyFrom) {
    case 2:
      if (letters === PH)
        event.phase = bytes[from] === QUOTE && to - from === 3 ? bytes[from + 1] : 0;
      else if (letters === TS) event.startNs = nsAfter(bytes, from, to, baseUs);
      else if (letters === ID) {
        event.idFrom = from;
        event.idTo = to;
      }
      return;
    case 3:
      if (letters === CAT) event.category = textAt(texts, bytes, from, to);
      else if (letters === PID) event.process = taskAt(texts, bytes, from, to);
      else if (letters === TID) event.thread = taskAt(texts, bytes, from, to);
      else if (letters === DUR) event.durationNs = nsAfter(bytes, from, to, 0);
      return;
    case 4:
      if (letters === NAME) event.name = textAt(texts, bytes, from, to);
      else if (letters === ARGS) {
        event.argsFrom = from;
        event.argsTo = to;
      }
  }
}

/** The number of a text, also of what is none but a number. */
export function textAt(texts: TextTable, bytes: Uint8Array, from: number, to: number): number {
  return bytes[from] === QUOTE
    ? texts.numberOf(bytes, from + 1, to - 1)
    : texts.numberOf(bytes, from, to);
}

const MAX_TASK = 2 ** 32 - 1;

function taskAt(texts: TextTable, bytes: Uint8Array, from: number, to: number): number {
  const number = numberAt(bytes, from, to);
  if (Number.isInteger(number) && Math.abs(number) <= MAX_TASK) return number;
  return TEXT_TASK + textAt(texts, bytes, from, to);
}
