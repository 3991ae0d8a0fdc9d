import { ALL_STREAMS } from './device-calls.ts';
import type { UnseenSpan } from './unseen-work.ts';

/** Nothing shows what is outstanding: work may have been submitted unseen. */
export const WORK_UNKNOWN = 0;
/** Everything submitted was waited for. */
export const WORK_NONE = 1;
/** Something was submitted that nobody waited for yet; it may have ended. */
export const WORK_SUBMITTED = 2;

/** What is outstanding on the streams of a process, as its calls are gone through in order of time. */
export class OpenStreams {
  readonly #placeOf: ReadonlyMap<number, number>;
  /** By place: when the last submission's call returned; -Infinity where all was waited for. */
  readonly #pendingNs: Float64Array;
  /** By place: entry of the latest wait for it. What was submitted unseen before that is done. */
  readonly #waitedNs: Float64Array;
  #pending = 0;
  #unseenUntilNs = -Infinity;
  #waitsUnseenUntilNs = -Infinity;
  /** The stream that was asked for last, and its place. */
  #last: number | undefined;
  #lastPlace = 0;

  constructor(streams: Iterable<number>) {
    this.#placeOf = new Map([...streams].map((stream, place) => [stream, place]));
    this.#pendingNs = new Float64Array(this.#placeOf.size).fill(-Infinity);
    this.#waitedNs = new Float64Array(this.#placeOf.size).fill(-Infinity);
  }

  #place(stream: number): number {
    if (stream === this.#last) return this.#lastPlace;
    this.#last = stream;
    this.#lastPlace = this.#placeOf.get(stream) as number;
    return this.#lastPlace;
  }

  submit(stream: number, returnNs: number): void {
    const place = this.#place(stream);
    const pendingNs = this.#pendingNs[place];
    if (pendingNs === -Infinity) this.#pending++;
    if (returnNs > pendingNs) this.#pendingNs[place] = returnNs;
  }

  lose({ endNs, hidesWaits }: UnseenSpan): void {
    this.#unseenUntilNs = Math.max(this.#unseenUntilNs, endNs);
    if (hidesWaits) this.#waitsUnseenUntilNs = Math.max(this.#waitsUnseenUntilNs, endNs);
  }

  /** A wait that was entered at `entryNs` came back: what was submitted before its entry is done. */
  waited(stream: number, entryNs: number): void {
    if (stream !== ALL_STREAMS) this.#waitedFor(this.#place(stream), entryNs);
    else
      for (let place = 0; place < this.#waitedNs.length; place++) this.#waitedFor(place, entryNs);
  }

  #waitedFor(place: number, entryNs: number): void {
    if (entryNs > this.#waitedNs[place]) this.#waitedNs[place] = entryNs;
    const pendingNs = this.#pendingNs[place];
    if (pendingNs === -Infinity || pendingNs > entryNs) return;
    this.#pendingNs[place] = -Infinity;
    this.#pending--;
  }

  /** The stream whose last wait was entered first: when that was. */
  get waitedNs(): number {
    let waitedNs = Infinity;
    for (const ns of this.#waitedNs) if (ns < waitedNs) waitedNs = ns;
    return waitedNs;
  }

  /** Whether work is outstanding whatever came before the first call that was gone through. */
  get isSubmittedAnyway(): boolean {
    return this.#pending > 0 && this.#waitsUnseenUntilNs === -Infinity;
  }

  get state(): number {
    const { waitedNs } = this;
    if (waitedNs < this.#waitsUnseenUntilNs) return WORK_UNKNOWN;
    if (this.#pending > 0) return WORK_SUBMITTED;
    return waitedNs < this.#unseenUntilNs ? WORK_UNKNOWN : WORK_NONE;
  }
}
