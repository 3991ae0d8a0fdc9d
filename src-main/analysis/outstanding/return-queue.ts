/**
 * Calls that were entered and have not returned yet, by when they return; of those that return at one moment the lower
 * row first. A binary heap: a file may hold any number of calls that never return.
 */
export class ReturnQueue {
  readonly #endsNs: number[] = [];
  readonly #rows: number[] = [];

  /** When the next one returns, ns; Infinity where there is none. */
  get nextNs(): number {
    return this.#endsNs.length === 0 ? Infinity : this.#endsNs[0];
  }

  add(row: number, endNs: number): void {
    let at = this.#rows.length;
    this.#put(at, row, endNs);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  /** Takes the next one: its row. There must be one. */
  take(): number {
    const first = this.#rows[0];
    const lastRow = this.#rows.pop() as number;
    const lastNs = this.#endsNs.pop() as number;
    if (this.#rows.length === 0) return first;
    this.#put(0, lastRow, lastNs);
    let at = 0;
    for (;;) {
      const next = this.#firstBelow(at);
      if (next === undefined || !this.#isBefore(next, at)) return first;
      this.#swap(at, next);
      at = next;
    }
  }

  #firstBelow(at: number): number | undefined {
    const left = 2 * at + 1;
    if (left >= this.#rows.length) return undefined;
    return left + 1 < this.#rows.length && this.#isBefore(left + 1, left) ? left + 1 : left;
  }

  #isBefore(one: number, other: number): boolean {
    const byNs = this.#endsNs[one] - this.#endsNs[other];
    return byNs < 0 || (byNs === 0 && this.#rows[one] < this.#rows[other]);
  }

  #put(at: number, row: number, endNs: number): void {
    this.#rows[at] = row;
    this.#endsNs[at] = endNs;
  }

  #swap(one: number, other: number): void {
    const row = this.#rows[one];
    const endNs = this.#endsNs[one];
    this.#put(one, this.#rows[other], this.#endsNs[other]);
    this.#put(other, row, endNs);
  }
}
