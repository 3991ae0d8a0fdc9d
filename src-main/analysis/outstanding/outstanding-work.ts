import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { endsPiece, type Pieces } from '../../shared/numbers/pieces.ts';
import { perNumberInPieces } from '../index/per-trace.ts';
import { ALL_STREAMS, type Submissions, submissionsOf } from './submissions.ts';
import { type UnseenSpan, unseenSpans } from './unseen-work.ts';

/**
 * What one process had given its device: from each of `startsNs` on up to the next. Waits of one
 * stream for another are not recorded, and the legacy default stream waits for all: so work on any
 * stream counts as work on each.
 */
export interface Outstanding {
  readonly startsNs: Float64Array;
  readonly states: Uint8Array;
  /** Waits for the device, rows of cuda_call in order of start, made with known work outstanding. */
  readonly waits: Uint32Array;
}

/** Nothing shows what is outstanding: work may have been submitted unseen. */
const WORK_UNKNOWN = 0;
/** Everything submitted was waited for. */
export const WORK_NONE = 1;
/** Something was submitted that nobody waited for yet; it may have ended. */
export const WORK_SUBMITTED = 2;

const work = perNumberInPieces(function* (trace, process) {
  const submissions = yield* submissionsOf(trace, process);
  yield;
  return yield* sweep(trace, submissions, unseenSpans(trace, process));
});

/** The work of a process over the whole trace, kept with it: one sort of its calls, one sweep. */
export const outstandingWork = work.of;

/** Works that out ahead, piece by piece. */
export const outstandingWorkAhead = work.ahead;

/** State at `atNs`; `before` = just before it, for the entry of a submission. */
export function workAt(work: Outstanding, atNs: number, before = false): number {
  const at = (before ? lowerBound : upperBound)(work.startsNs, atNs) - 1;
  return at < 0 ? WORK_UNKNOWN : work.states[at];
}

/** What is outstanding on the streams of a process while the sweep goes on. */
class Streams {
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

  get state(): number {
    let waitedNs = Infinity;
    for (const ns of this.#waitedNs) if (ns < waitedNs) waitedNs = ns;
    if (waitedNs < this.#waitsUnseenUntilNs) return WORK_UNKNOWN;
    if (this.#pending > 0) return WORK_SUBMITTED;
    return waitedNs < this.#unseenUntilNs ? WORK_UNKNOWN : WORK_NONE;
  }
}

/** The states in order of time; a moment that changes nothing leaves no entry. */
class StateList {
  readonly #startsNs: Float64Array;
  readonly #states: Uint8Array;
  #length = 0;

  constructor(most: number) {
    this.#startsNs = new Float64Array(most);
    this.#states = new Uint8Array(most);
  }

  /** The last state; undefined where there is none. */
  get last(): number | undefined {
    return this.#length === 0 ? undefined : this.#states[this.#length - 1];
  }

  put(atNs: number, state: number): void {
    if (this.last === state) return;
    // Several changes at one moment: the last one stands.
    if (this.#length > 0 && this.#startsNs[this.#length - 1] === atNs) {
      this.#length--;
      this.put(atNs, state);
      return;
    }
    this.#startsNs[this.#length] = atNs;
    this.#states[this.#length++] = state;
  }

  whole(): Pick<Outstanding, 'startsNs' | 'states'> {
    return {
      startsNs: this.#startsNs.slice(0, this.#length),
      states: this.#states.slice(0, this.#length),
    };
  }
}

function* sweep(
  trace: Trace,
  { submitted, waited, streams }: Submissions,
  unseen: readonly UnseenSpan[],
): Pieces<Outstanding> {
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const open = new Streams(streams);
  const list = new StateList(1 + submitted.rows.length + waited.rows.length + unseen.length);
  const waits = new Uint32Array(waited.rows.length);
  let waitCount = 0;
  const endOf = (row: number) => startNs[row] + durationNs[row];
  list.put(-Infinity, WORK_NONE);
  let nextSubmitted = 0;
  let nextWaited = 0;
  let nextUnseen = 0;
  for (;;) {
    if (endsPiece(nextSubmitted + nextWaited + nextUnseen)) yield;
    const submittedNs =
      nextSubmitted < submitted.rows.length ? startNs[submitted.rows[nextSubmitted]] : Infinity;
    const waitedNs = nextWaited < waited.rows.length ? endOf(waited.rows[nextWaited]) : Infinity;
    const unseenNs = nextUnseen < unseen.length ? unseen[nextUnseen].startNs : Infinity;
    const atNs = Math.min(submittedNs, waitedNs, unseenNs);
    if (atNs === Infinity) break;
    // A wait that returns as the next submission is entered leaves no time without work between.
    if (waitedNs === atNs) {
      const at = nextWaited++;
      if (list.last === WORK_SUBMITTED) waits[waitCount++] = waited.rows[at];
      open.waited(waited.streams[at], startNs[waited.rows[at]]);
    } else if (unseenNs === atNs) open.lose(unseen[nextUnseen++]);
    else {
      const at = nextSubmitted++;
      const row = submitted.rows[at];
      open.submit(
        submitted.streams[at],
        submitted.waitsItself[at] === 1 ? startNs[row] : endOf(row),
      );
    }
    list.put(atNs, open.state);
  }
  return { ...list.whole(), waits: waits.slice(0, waitCount).sort() };
}
