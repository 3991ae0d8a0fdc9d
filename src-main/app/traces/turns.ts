/** Lets a limited number work at a time; the others wait, in the order in which they came. */
export class Turns {
  readonly #limit: number;
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether nobody works or waits. */
  get isIdle(): boolean {
    return this.#working === 0 && this.#waiting.length === 0;
  }

  /** Runs `work` once it is its turn; without `work` having begun, an abort ends the wait with `undefined`. */
  async take<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#enter(signal))) return undefined;
    try {
      return await work();
    } finally {
      this.#working--;
      this.#waiting.shift()?.();
    }
  }

  #enter(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (this.#working < this.#limit) {
      this.#working++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        resolve(false);
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        this.#working++;
        resolve(true);
      };
      this.#waiting.push(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
