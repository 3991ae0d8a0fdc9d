import type { NumberArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { GrowingArray } from '../../shared/numbers/growing-array.ts';
import { ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import {
  type DeviceCalls,
  HAS_SUBMITTED,
  HAS_WAITED,
  HAS_WAITED_FOR_ITSELF,
} from './device-calls.ts';
import { OpenStreams, WORK_NONE, WORK_SUBMITTED } from './open-streams.ts';
import { ReturnQueue } from './return-queue.ts';
import { StateList } from './state-list.ts';
import type { UnseenSpan } from './unseen-work.ts';

/**
 * Goes through the calls of one process in order of time and notes what was outstanding: as far as somebody asks, and
 * in pieces, so that what is asked about the first calls of a trace does not wait for the last.
 */
export class WorkSweep {
  readonly states = new StateList();
  /** Waits for the device that were made with known work outstanding, rows of cuda_call, in order of return. */
  readonly waits = new GrowingArray(Uint32Array);
  readonly #startNs: Float64Array;
  readonly #durationNs: NumberArray;
  readonly #calls: DeviceCalls;
  readonly #open: OpenStreams;
  readonly #unseen: readonly UnseenSpan[];
  #nextUnseen = 0;
  /** When the next wait returns or loss begins. */
  #nextNs: number;
  readonly #waiting = new ReturnQueue();
  readonly #from: number;
  /** Rows that are gone through; those before `#entered` are among the waits. */
  #row: number;
  #entered: number;
  #isWhole = false;

  /** `calls`: with their streams known. `from`: the first row of cuda_call that is gone through. */
  constructor({ tables }: Trace, calls: DeviceCalls, unseen: readonly UnseenSpan[], from = 0) {
    const { startNs, durationNs } = tables.cuda_call.columns;
    this.#startNs = startNs;
    this.#durationNs = durationNs;
    this.#calls = calls;
    this.#open = new OpenStreams(calls.streams());
    this.#unseen = unseen;
    this.#nextNs = this.#unseen[0]?.startNs ?? Infinity;
    this.#from = from;
    this.#row = from;
    this.#entered = from;
    this.states.put(-Infinity, WORK_NONE);
  }

  /** Whether what was outstanding before `atNs` is noted. */
  isPast(atNs: number): boolean {
    return this.#isWhole || (this.#row > this.#from && this.#startNs[this.#row - 1] >= atNs);
  }

  /**
   * The state before `atNs`, up to which all rows must have been gone through, where that is certain whatever the rows before
   * the first one did; of these the last returned at `returnedNs`.
   */
  certainBefore(atNs: number, returnedNs: number): number | undefined {
    while (this.#nextNs < atNs) this.#endNext();
    const isKnown =
      this.#from === 0 ||
      this.#open.isSubmittedAnyway ||
      this.#open.waitedNs >= Math.max(returnedNs, this.#startNs[this.#from]);
    return isKnown ? this.#open.state : undefined;
  }

  /** Goes through the next piece of the rows, and not from `limit` on. */
  goOn(limit = Infinity): void {
    const rows = this.#startNs.length;
    const to = Math.min(rows, limit, this.#row + ROWS_OF_A_PIECE);
    for (; this.#row < to; this.#row++) this.#enter(this.#row);
    this.#isWhole = to === rows && limit === Infinity;
    if (this.#isWhole) this.#endUpTo(Infinity);
    else if (to > this.#from) this.#endUpTo(this.#startNs[to - 1]);
  }

  #enter(row: number): void {
    const did = this.#calls.did(row);
    if (row === this.#entered) this.#enterWait(did);
    if ((did & HAS_SUBMITTED) === 0) return;
    const atNs = this.#startNs[row];
    // Of the calls that begin at this moment one may return at it too.
    while (this.#startNs[this.#entered] === atNs) this.#enterWait(this.#calls.did(this.#entered));
    if (this.#nextNs <= atNs) this.#endUpTo(atNs);
    const isDone = (did & HAS_WAITED_FOR_ITSELF) !== 0;
    this.#open.submit(this.#calls.submittedTo(row), isDone ? atNs : this.#endOf(row));
    // More of it changes nothing.
    if (this.states.last !== WORK_SUBMITTED) this.states.put(atNs, this.#open.state);
  }

  #enterWait(did: number): void {
    const row = this.#entered++;
    if ((did & HAS_WAITED) === 0) return;
    this.#waiting.add(row, this.#endOf(row));
    this.#nextNs = Math.min(this.#nextNs, this.#waiting.nextNs);
  }

  /** Waits that return and losses that begin, up to `atNs`. Who returns as something is submitted returns before. */
  #endUpTo(atNs: number): void {
    while (this.#nextNs <= atNs && this.#nextNs !== Infinity) this.#endNext();
  }

  #endNext(): void {
    const endedNs = this.#nextNs;
    if (this.#waiting.nextNs === endedNs) this.#returned(this.#waiting.take());
    else this.#open.lose(this.#unseen[this.#nextUnseen++]);
    this.states.put(endedNs, this.#open.state);
    const unseenNs = this.#unseen[this.#nextUnseen]?.startNs ?? Infinity;
    this.#nextNs = Math.min(this.#waiting.nextNs, unseenNs);
  }

  #returned(wait: number): void {
    if (this.states.last === WORK_SUBMITTED) this.waits.push(wait);
    this.#open.waited(this.#calls.waitedFor(wait), this.#startNs[wait]);
  }

  #endOf(row: number): number {
    return this.#startNs[row] + this.#durationNs[row];
  }
}
