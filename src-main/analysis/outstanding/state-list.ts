import { lowerBoundBy } from '../../shared/numbers/bisect.ts';

/** What was outstanding from each of `startsNs` on up to the next. */
export interface States {
  readonly startsNs: Float64Array;
  readonly states: Uint8Array;
}

/** The states in order of time; a moment that changes nothing leaves no entry. */
export class StateList {
  readonly #startsNs: number[] = [];
  readonly #states: number[] = [];
  #last: number | undefined;

  /** The last state; undefined where there is none. */
  get last(): number | undefined {
    return this.#last;
  }

  put(atNs: number, state: number): void {
    if (this.#last === state) return;
    // Several changes at one moment: the last one stands.
    if (this.#startsNs.at(-1) === atNs) {
      this.#startsNs.pop();
      this.#states.pop();
      this.#last = this.#states.at(-1);
      this.put(atNs, state);
      return;
    }
    this.#startsNs.push(atNs);
    this.#states.push(state);
    this.#last = state;
  }

  /** The state just before `atNs`; undefined where none is known so early. */
  before(atNs: number): number | undefined {
    return this.#states[lowerBoundBy(this.#startsNs, atNs, (ns) => ns) - 1];
  }

  whole(): States {
    return {
      startsNs: Float64Array.from(this.#startsNs),
      states: Uint8Array.from(this.#states),
    };
  }
}
