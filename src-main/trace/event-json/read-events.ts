import type { ByteWindow } from './byte-window.ts';
import {
  CLOSE_ARRAY,
  COLON,
  COMMA,
  MORE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
  WRONG,
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
/** So many that are longer are looked at; then none as long any more. */
const MAX_LONG = 100;
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
  /** The longest event, or value beside the events, that is waited for. */
  #longest = MAX_VALUE_BYTES;
  #longFailures = 0;

  constructor(window: ByteWindow, context: EventContext, handler: EventHandler) {
    this.#window = window;
    this.#context = context;
    this.#handler = handler;
  }

  read(): EventsRead {
    const first = this.#peek();
    if (first === OPEN_ARRAY) this.#readArray();
    else if (first === OPEN_OBJECT) this.#readObject();
    this.#window.close();
    return {
      events: this.#events,
      repaired: this.#repaired,
      left: this.#left,
      isCut: this.#isCut,
    };
  }

  /** The next byte that is no white space nor a byte order mark; -1 at the end. */
  #peek(): number {
    for (;;) {
      this.#at = skipSpace(this.#window.bytes, this.#at, this.#window.end);
      if (this.#at < this.#window.end) {
        const byte = this.#window.bytes[this.#at];
        if (byte < 0xef || this.#window.passed + this.#at > 2) return byte;
        this.#at++;
      } else if (!this.#more()) return -1;
    }
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
      if (key === EVENTS_KEY && first === OPEN_ARRAY) this.#readArray();
      else this.#readBeside(key);
    }
  }

  /** The key at hand, behind whose colon the next is read; undefined where there is none, one byte on. */
  #key(): string | undefined {
    const behind = this.#whole(() => behindKey(this.#window.bytes, this.#at, this.#window.end));
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
    const behind = this.#whole(() => skipValue(this.#window.bytes, this.#at, this.#window.end));
    if (behind === WRONG || behind === MORE) {
      // Too long, cut or damaged: what follows is looked through for keys.
      this.#at = Math.min(this.#at + 1, this.#window.end);
      return;
    }
    if (isWanted) this.#handler.onValue(key, this.#window.bytes.toString('utf8', this.#at, behind));
    this.#at = behind;
  }

  /** What `skip` says of the value at hand, with as many bytes as it needs. */
  #whole(skip: () => number): number {
    for (;;) {
      const behind = skip();
      if (behind !== MORE) return behind;
      if (this.#window.end - this.#at > this.#longest) return this.#tooLong();
      // What ends with the file is told otherwise from what goes on.
      if (!this.#more()) return skip();
    }
  }

  /** A file that has many of them is made to be slow. */
  #tooLong(): number {
    if (++this.#longFailures === MAX_LONG) this.#longest = 2 ** 16;
    return WRONG;
  }

  #readArray(): void {
    this.#at++;
    for (;;) {
      const byte = this.#peek();
      if (byte === OPEN_OBJECT) this.#readOne();
      else if (byte === COMMA) this.#at++;
      else if (byte === CLOSE_ARRAY) {
        this.#at++;
        return;
      } else if (byte === -1) {
        this.#isCut = true;
        return;
      } else this.#passDamage();
    }
  }

  #readOne(): void {
    const event = this.#event;
    const behind = this.#whole(() =>
      readEvent(event, this.#context, this.#window.bytes, this.#at, this.#window.end),
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
    return this.#whole(() => {
      const { bytes, end, isAtEnd } = this.#window;
      const found = boundaryBehind(bytes, this.#at, end, isAtEnd);
      return found < 0 ? MORE : found;
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

/** Behind the colon of the key whose quote stands at `at`; `WRONG` where it is no key. */
function behindKey(bytes: Uint8Array, at: number, end: number): number {
  const behind = skipString(bytes, at + 1, end);
  if (behind < 0) return behind;
  const colon = skipSpace(bytes, behind, end);
  if (colon >= end) return MORE;
  return bytes[colon] === COLON ? colon + 1 : WRONG;
}
