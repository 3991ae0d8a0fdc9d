import { EVENT, EVENT_CELLS, type EventScan, openEventScan } from '../../native/event-scan.ts';
import type { ByteWindow } from './byte-window.ts';
import {
  CLOSE_ARRAY,
  COLON,
  COMMA,
  MORE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  placeOfWrong,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
  wrongAt,
} from './json-bytes.ts';
import { boundaryBehind, repairEvent } from './repair-event.ts';
import { type EventContext, readEvent, TraceEvent } from './trace-event.ts';

/** What a file of events had beside them, and what was wrong with it. */
export interface EventsRead {
  /** Events that were handed on, the repaired ones among them. */
  readonly events: number;
  readonly repaired: number;
  /** Places where something stood that could not be told. */
  readonly left: number;
  /** Whether the file ends within its events. */
  readonly isCut: boolean;
}

export interface EventHandler {
  /** The event and the bytes that its arguments stand in are others after the call. */
  onEvent(event: TraceEvent, bytes: Buffer): void;
  /** What stands beside the events, where `wants` its key: as JSON, if it is no longer than a few MB. */
  onValue(key: string, json: string): void;
  wants(key: string): boolean;
  /** Now and then, with how many bytes were read. */
  onProgress(bytes: number): void;
}

/** No event, and nothing of what is wanted beside them, is longer. */
const MAX_VALUE_BYTES = 2 ** 22;
/** Hardly any is longer than this. */
const FIRST_VALUE_BYTES = 2 ** 16;
/** So many bytes may be looked at in vain, about a second of them. */
const MAX_IN_VAIN = 2 ** 28;
const EVENTS_KEY = 'traceEvents';

/** Reads a file of the Trace Event Format: an object with `traceEvents`, or only the array of events. */
export class EventsReader {
  readonly #window: ByteWindow;
  readonly #context: EventContext;
  readonly #handler: EventHandler;
  readonly #event = new TraceEvent();
  #at = 0;
  #events = 0;
  #repaired = 0;
  #left = 0;
  #isCut = false;
  #inVain = 0;
  #isGivenUp = false;
  readonly #scan: EventScan | undefined;

  /** `scan` tells what is plain faster, and nothing else: without it all is read here. */
  constructor(
    window: ByteWindow,
    context: EventContext,
    handler: EventHandler,
    scan: EventScan | undefined = openEventScan(),
  ) {
    this.#window = window;
    this.#context = context;
    this.#handler = handler;
    this.#scan = scan;
  }

  read(): EventsRead {
    const first = this.#peek();
    if (first === OPEN_ARRAY) this.#readArray(true);
    else if (first === OPEN_OBJECT) this.#readObject();
    this.#window.close();
    return {
      events: this.#events,
      repaired: this.#repaired,
      left: this.#left,
      isCut: this.#isCut || this.#isGivenUp,
    };
  }

  /** The next byte that is no white space nor a byte order mark; -1 at the end. */
  #peek(): number {
    while (!this.#isGivenUp) {
      this.#at = skipSpace(this.#window.bytes, this.#at, this.#window.end);
      if (this.#at < this.#window.end) {
        const byte = this.#window.bytes[this.#at];
        if (byte < 0xef || this.#window.passed + this.#at > 2) return byte;
        this.#at++;
      } else if (!this.#more()) return -1;
    }
    return -1;
  }

  /** More bytes behind those at hand; what is before `#at` is left. */
  #more(): boolean {
    const isMore = this.#window.more(this.#at);
    if (isMore) {
      this.#at = 0;
      this.#handler.onProgress(this.#window.passed);
    }
    return isMore;
  }

  /** What is no key is passed, byte by byte: so it goes on behind what is damaged. */
  #readObject(): void {
    this.#at++;
    for (;;) {
      const byte = this.#peek();
      if (byte === -1) return;
      if (byte !== QUOTE) {
        this.#at++;
        continue;
      }
      const key = this.#key();
      if (key === undefined) continue;
      const first = this.#peek();
      if (key === EVENTS_KEY && first === OPEN_ARRAY) this.#readArray(false);
      else this.#readBeside(key);
    }
  }

  /** The key at hand, behind whose colon the next is read; undefined where there is none, one byte on. */
  #key(): string | undefined {
    const behind = this.#whole((end) => behindKey(this.#window.bytes, this.#at, end));
    if (behind < 0) {
      this.#at++;
      return undefined;
    }
    const from = this.#at + 1;
    this.#at = behind;
    const quote = this.#window.bytes.lastIndexOf(QUOTE, behind - 1);
    return this.#window.bytes.toString('utf8', from, quote);
  }

  #readBeside(key: string): void {
    const isWanted = this.#handler.wants(key);
    const behind = this.#whole((end) => skipValue(this.#window.bytes, this.#at, end));
    if (behind < 0) {
      // Too long, cut or damaged: what follows is looked through for keys.
      this.#at = Math.min(this.#at + 1, this.#window.end);
      return;
    }
    if (isWanted) this.#handler.onValue(key, this.#window.bytes.toString('utf8', this.#at, behind));
    this.#at = behind;
  }

  /**
   * What `skip` says of the value at hand, with as many bytes as it needs: `MORE` where the file ends within it, less
   * where it is no JSON or too long. It is given the end of the bytes that it may look at.
   */
  #whole(skip: (end: number) => number): number {
    for (let length = FIRST_VALUE_BYTES; ; length *= 4) {
      while (this.#at + length > this.#window.end && this.#more());
      const end = Math.min(this.#window.end, this.#at + length);
      const behind = skip(end);
      if (behind >= 0) return behind;
      if (behind < MORE) return this.#wasted(behind, placeOfWrong(behind) - this.#at);
      if (end === this.#window.end) return this.#wasted(MORE, end - this.#at);
      if (length >= MAX_VALUE_BYTES) return this.#wasted(wrongAt(end), length);
    }
  }

  /** A file that makes much be looked at in vain is made to be slow: it ends there. */
  #wasted(outcome: number, bytes: number): number {
    this.#inVain += bytes;
    if (this.#inVain > MAX_IN_VAIN) this.#isGivenUp = true;
    return outcome;
  }

  /** One that is the whole file need not be closed: Chrome leaves that out, to write on at any time. */
  #readArray(isWholeFile: boolean): void {
    this.#at++;
    for (;;) {
      if (this.#scan !== undefined) this.#scanAll(this.#scan);
      const byte = this.#peek();
      if (byte === OPEN_OBJECT) this.#readOne();
      else if (byte === COMMA) this.#at++;
      else if (byte === CLOSE_ARRAY) {
        this.#at++;
        return;
      } else if (byte === -1) {
        this.#isCut ||= !isWholeFile;
        return;
      } else this.#passDamage();
    }
  }

  /** Events of the bytes at hand, up to the first that native code leaves alone. */
  #scanAll({ cells, scan }: EventScan): void {
    const event = this.#event;
    const { bytes, end } = this.#window;
    const { texts, baseUs } = this.#context;
    for (;;) {
      const count = scan(bytes, this.#at, end, baseUs, texts.arrays);
      for (let at = 0; at < count * EVENT_CELLS; at += EVENT_CELLS) {
        event.take(cells, at);
        this.#hand(cells[at + EVENT.behind]);
      }
      if (count * EVENT_CELLS < cells.length) return;
    }
  }

  #readOne(): void {
    const event = this.#event;
    const behind = this.#whole((end) =>
      readEvent(event, this.#context, this.#window.bytes, this.#at, end),
    );
    if (behind >= 0) {
      this.#hand(behind);
      return;
    }
    // Where more is wanted, the file ends within the event, unless a quote in it has no end.
    this.#repairOne(behind === MORE);
  }

  #repairOne(isAtEnd: boolean): void {
    const boundary = this.#boundary();
    if (boundary < 0) {
      if (isAtEnd) this.#isCut = true;
      this.#left++;
      this.#at = this.#window.end;
      return;
    }
    if (repairEvent(this.#event, this.#context, this.#window.bytes, this.#at, boundary)) {
      this.#repaired++;
      this.#hand(boundary);
      return;
    }
    this.#left++;
    this.#at = boundary;
  }

  #boundary(): number {
    return this.#whole((end) => {
      const { bytes, isAtEnd, end: last } = this.#window;
      return boundaryBehind(bytes, this.#at, end, isAtEnd && end === last);
    });
  }

  #hand(behind: number): void {
    this.#events++;
    this.#handler.onEvent(this.#event, this.#window.bytes);
    this.#at = behind;
  }

  /** What is no event stands where one should: on to the next. */
  #passDamage(): void {
    this.#left++;
    const boundary = this.#boundary();
    this.#at = boundary < 0 ? this.#window.end : boundary;
  }
}

/** Behind the colon of the key whose quote stands at `at`; less than `MORE` where it is no key. */
function behindKey(bytes: Uint8Array, at: number, end: number): number {
  const behind = skipString(bytes, at + 1, end);
  if (behind < 0) return behind;
  const colon = skipSpace(bytes, behind, end);
  if (colon >= end) return MORE;
  return bytes[colon] === COLON ? colon + 1 : wrongAt(colon);
}
