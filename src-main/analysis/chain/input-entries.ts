import { type CauseSums, causeCode } from './cause-sums.ts';

/** Codes of InputCauses.whose. */
export const whoseCodes = ['main', 'worker'] as const;

/** Why the ns of each interval passed: any number of entries per interval, none of them empty. */
export interface InputCauses {
  /** The entries of interval i are those from offsets[i] up to offsets[i + 1]. */
  readonly offsets: Uint32Array;
  /** Codes of whoseCodes. */
  readonly whose: Uint8Array;
  /** Codes of cycleCauses. */
  readonly causes: Uint8Array;
  readonly ns: Float64Array;
  /** The worker’s process; -1 = the training process itself. */
  readonly workers: Int32Array;
  /** Which of the worker’s batches (productionCycles); -1 = none or not known. */
  readonly cycles: Int32Array;
  /** The longest off-CPU interval behind it: a row of off_cpu; -1 = none. */
  readonly rows: Int32Array;
  /** Batches that each worker would have to be asked for ahead, beyond today's, to win back the time `waiting-for-index`. */
  readonly ahead: number;
}

const WORKER = whoseCodes.indexOf('worker');
const MAIN = whoseCodes.indexOf('main');
const NONE = -1;

/** Collects the entries of `count` intervals, one interval after the other. */
export class EntryList {
  readonly #offsets: Uint32Array;
  #interval = 0;
  readonly #whose: number[] = [];
  readonly #causes: number[] = [];
  readonly #ns: number[] = [];
  readonly #workers: number[] = [];
  readonly #cycles: number[] = [];
  readonly #rows: number[] = [];

  constructor(count: number) {
    this.#offsets = new Uint32Array(count + 1);
  }

  addMain(sums: CauseSums): void {
    for (let cause = 0; cause < sums.ns.length; cause++)
      this.#add(cause, sums.ns[cause], NONE, NONE, sums.rows[cause]);
  }

  addOne(worker: number, cause: number, causeNs: number): void {
    this.#add(cause, causeNs, worker, NONE, NONE);
  }

  /**
   * `total` ns split as `sums` are; what rounding leaves goes to the largest. A new worker that waits
   * for its first index holds nobody up: the training process has not asked yet.
   */
  addScaled(worker: number, cycle: number, sums: CauseSums, total: number): void {
    const shares = scaled(sums.ns.with(causeCode['waiting-for-index'], 0), total);
    for (let cause = 0; cause < shares.length; cause++)
      this.#add(cause, shares[cause], worker, cycle, sums.rows[cause]);
  }

  endInterval(): void {
    this.#interval++;
    this.#offsets[this.#interval] = this.#ns.length;
  }

  finish(ahead: number): InputCauses {
    return {
      offsets: this.#offsets,
      whose: Uint8Array.from(this.#whose),
      causes: Uint8Array.from(this.#causes),
      ns: Float64Array.from(this.#ns),
      workers: Int32Array.from(this.#workers),
      cycles: Int32Array.from(this.#cycles),
      rows: Int32Array.from(this.#rows),
      ahead,
    };
  }

  #add(cause: number, causeNs: number, worker: number, cycle: number, row: number): void {
    if (causeNs <= 0) return;
    this.#whose.push(worker < 0 ? MAIN : WORKER);
    this.#causes.push(cause);
    this.#ns.push(causeNs);
    this.#workers.push(worker);
    this.#cycles.push(cycle);
    this.#rows.push(row);
  }
}

function scaled(parts: readonly number[], total: number): number[] {
  let sum = 0;
  let largest = 0;
  for (let at = 0; at < parts.length; at++) {
    sum += parts[at];
    if (parts[at] > parts[largest]) largest = at;
  }
  const shares = parts.slice();
  let rest = total;
  for (let at = 0; at < parts.length; at++) {
    shares[at] = sum > 0 ? Math.floor((parts[at] / sum) * total) : 0;
    rest -= shares[at];
  }
  shares[largest] += rest;
  return shares;
}
