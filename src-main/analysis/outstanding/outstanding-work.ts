import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { perNumber } from '../index/per-trace.ts';
import { type Submissions, submissionsOf } from './submissions.ts';
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

/** The work of `process` over the whole trace, kept with it: one sort of its calls, one sweep. */
export const outstandingWork = perNumber((trace, process) =>
  sweep(trace, submissionsOf(trace, process), unseenSpans(trace, process)),
);

/** State at `atNs`; `before` = just before it, for the entry of a submission. */
export function workAt(work: Outstanding, atNs: number, before = false): number {
  const at = (before ? lowerBound : upperBound)(work.startsNs, atNs) - 1;
  return at < 0 ? WORK_UNKNOWN : work.states[at];
}

/** What is outstanding on the streams of a process while the sweep goes on. */
class Streams {
  /** By stream: when the last submission's call returned; streams that were waited for are not here. */
  readonly #pendingNs = new Map<number, number>();
  /** By stream: entry of the latest wait for it. What was submitted unseen before that is done. */
  readonly #waitedNs = new Map<number, number>();
  #unseenUntilNs = -Infinity;
  #waitsUnseenUntilNs = -Infinity;

  constructor(streams: Iterable<number>) {
    for (const stream of streams) this.#waitedNs.set(stream, -Infinity);
  }

  submit(stream: number, returnNs: number): void {
    this.#pendingNs.set(stream, Math.max(this.#pendingNs.get(stream) ?? -Infinity, returnNs));
  }

  lose({ endNs, hidesWaits }: UnseenSpan): void {
    this.#unseenUntilNs = Math.max(this.#unseenUntilNs, endNs);
    if (hidesWaits) this.#waitsUnseenUntilNs = Math.max(this.#waitsUnseenUntilNs, endNs);
  }

  /** A wait that was entered at `entryNs` came back: what was submitted before its entry is done. */
  waited(stream: number | 'all', entryNs: number): void {
    for (const [known, waitedNs] of this.#waitedNs) {
      if (stream !== 'all' && known !== stream) continue;
      this.#waitedNs.set(known, Math.max(waitedNs, entryNs));
      if ((this.#pendingNs.get(known) ?? -Infinity) <= entryNs) this.#pendingNs.delete(known);
    }
  }

  get state(): number {
    let waitedNs = Infinity;
    for (const ns of this.#waitedNs.values()) waitedNs = Math.min(waitedNs, ns);
    if (waitedNs < this.#waitsUnseenUntilNs) return WORK_UNKNOWN;
    if (this.#pendingNs.size > 0) return WORK_SUBMITTED;
    return waitedNs < this.#unseenUntilNs ? WORK_UNKNOWN : WORK_NONE;
  }
}

/** The states in order of time; a moment that changes nothing leaves no entry. */
class StateList {
  readonly startsNs: number[] = [];
  readonly states: number[] = [];

  put(atNs: number, state: number): void {
    if (this.states.at(-1) === state) return;
    // Several changes at one moment: the last one stands.
    if (this.startsNs.at(-1) === atNs) {
      this.startsNs.pop();
      this.states.pop();
      this.put(atNs, state);
      return;
    }
    this.startsNs.push(atNs);
    this.states.push(state);
  }
}

function sweep(
  trace: Trace,
  { submitted, waited, streams }: Submissions,
  unseen: readonly UnseenSpan[],
): Outstanding {
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const open = new Streams(streams);
  const list = new StateList();
  const waits: number[] = [];
  const endOf = (row: number) => startNs[row] + durationNs[row];
  list.put(-Infinity, WORK_NONE);
  let nextSubmitted = 0;
  let nextWaited = 0;
  let nextUnseen = 0;
  for (;;) {
    const submittedNs = startNs[submitted.rows[nextSubmitted]] ?? Infinity;
    const waitedNs = nextWaited < waited.rows.length ? endOf(waited.rows[nextWaited]) : Infinity;
    const unseenNs = unseen[nextUnseen]?.startNs ?? Infinity;
    const atNs = Math.min(submittedNs, waitedNs, unseenNs);
    if (atNs === Infinity) break;
    // A wait that returns as the next submission is entered leaves no time without work between.
    if (waitedNs === atNs) {
      const at = nextWaited++;
      if (list.states.at(-1) === WORK_SUBMITTED) waits.push(waited.rows[at]);
      open.waited(waited.streams[at] ?? 'all', startNs[waited.rows[at]]);
    } else if (unseenNs === atNs) open.lose(unseen[nextUnseen++]);
    else {
      const at = nextSubmitted++;
      const row = submitted.rows[at];
      open.submit(submitted.streams[at], submitted.waitsItself[at] ? startNs[row] : endOf(row));
    }
    list.put(atNs, open.state);
  }
  return {
    startsNs: Float64Array.from(list.startsNs),
    states: Uint8Array.from(list.states),
    waits: Uint32Array.from(waits).sort(),
  };
}
