import type { NumberArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { DeviceCalls, HAS_SUBMITTED, HAS_WAITED, HAS_WAITED_FOR_ITSELF } from './device-calls.ts';
import { OpenStreams, WORK_NONE, WORK_SUBMITTED } from './open-streams.ts';
import { ReturnQueue } from './return-queue.ts';
import { StateList } from './state-list.ts';
import { type UnseenSpan, unseenSpans } from './unseen-work.ts';

/**
 * Goes through the calls of one process in order of time and notes what was outstanding: as far as somebody asks, and
 * in pieces, so that what is asked about the first calls of a trace does not wait for the last.
 */
export class WorkSweep {
  readonly states = new StateList();
  /** Waits for the device that were made with known work outstanding, rows of cuda_call, in order of return. */
  readonly waits: number[] = [];
  readonly #trace: Trace;
  readonly #process: number;
  readonly #startNs: Float64Array;
  readonly #durationNs: NumberArray;
  readonly #calls: DeviceCalls;
  /** Of no stream, as long as these are looked for. */
  #open = new OpenStreams([]);
  #unseen: readonly UnseenSpan[] = [];
  #nextUnseen = 0;
  readonly #waiting = new ReturnQueue();
  /** When the next wait returns or loss begins. */
  #nextNs = Infinity;
  /** Rows that were looked at for their streams. */
  #looked = 0;
  /** Rows that are gone through; those before `#entered` are among the waits. */
  #row = 0;
  #entered = 0;
  #isWhole = false;

  constructor(trace: Trace, process: number) {
    const { startNs, durationNs } = trace.tables.cuda_call.columns;
    this.#trace = trace;
    this.#process = process;
    this.#startNs = startNs;
    this.#durationNs = durationNs;
    this.#calls = new DeviceCalls(trace, process);
    this.states.put(-Infinity, WORK_NONE);
  }

  /** Whether what was outstanding before `atNs` is noted. */
  isPast(atNs: number): boolean {
    return this.#isWhole || (this.#row > 0 && this.#startNs[this.#row - 1] >= atNs);
  }

  /** Does the next piece of it. */
  goOn(): void {
    const rows = this.#startNs.length;
    if (this.#looked < rows) this.#findStreams(Math.min(rows, this.#looked + ROWS_OF_A_PIECE));
    else this.#goThrough(Math.min(rows, this.#row + ROWS_OF_A_PIECE));
  }

  #findStreams(to: number): void {
    this.#calls.findStreams(this.#looked, to);
    this.#looked = to;
    if (to < this.#startNs.length) return;
    this.#open = new OpenStreams(this.#calls.streams());
    this.#unseen = unseenSpans(this.#trace, this.#process);
    this.#nextNs = this.#unseen[0]?.startNs ?? Infinity;
  }

  #goThrough(to: number): void {
    for (; this.#row < to; this.#row++) this.#enter(this.#row);
    this.#isWhole = to === this.#startNs.length;
    this.#endUpTo(this.#isWhole ? Infinity : this.#startNs[to - 1]);
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
    while (this.#nextNs <= atNs && this.#nextNs !== Infinity) {
      const endedNs = this.#nextNs;
      if (this.#waiting.nextNs === endedNs) this.#returned(this.#waiting.take());
      else this.#open.lose(this.#unseen[this.#nextUnseen++]);
      this.states.put(endedNs, this.#open.state);
      const unseenNs = this.#unseen[this.#nextUnseen]?.startNs ?? Infinity;
      this.#nextNs = Math.min(this.#waiting.nextNs, unseenNs);
    }
  }

  #returned(wait: number): void {
    if (this.states.last === WORK_SUBMITTED) this.waits.push(wait);
    this.#open.waited(this.#calls.waitedFor(wait), this.#startNs[wait]);
  }

  #endOf(row: number): number {
    return this.#startNs[row] + this.#durationNs[row];
  }
}
