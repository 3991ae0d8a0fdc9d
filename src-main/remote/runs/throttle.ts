/** Calls `act` at most once in `everyMs` for each key, and at the end once more. */
export class Throttle {
  readonly #act: (key: string) => void;
  readonly #everyMs: number;
  readonly #waiting = new Map<string, { readonly timer: NodeJS.Timeout; again: boolean }>();

  constructor(everyMs: number, act: (key: string) => void) {
    this.#act = act;
    this.#everyMs = everyMs;
  }

  call(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.again = true;
      return;
    }
    this.#act(key);
    this.#wait(key);
  }

  /** What waits for `key` is dropped. */
  cancel(key: string): void {
    clearTimeout(this.#waiting.get(key)?.timer);
    this.#waiting.delete(key);
  }

  #wait(key: string): void {
    const timer = setTimeout(() => {
      const again = this.#waiting.get(key)?.again === true;
      this.#waiting.delete(key);
      if (again) this.call(key);
    }, this.#everyMs);
    this.#waiting.set(key, { timer, again: false });
  }
}
