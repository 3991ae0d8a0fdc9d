import { lowerBound } from '../../shared/numbers/bisect.ts';
import { GrowingArray } from '../../shared/numbers/growing-array.ts';

/** What was outstanding from each of `startsNs` on up to the next. */
export interface States {
  readonly startsNs: Float64Array;
  readonly states: Uint8Array;
}

/** The states in order of time; a moment that changes nothing leaves no entry. */
export class StateList {
  readonly #startsNs = new GrowingArray(Float64Array);
  readonly #states = new GrowingArray(Uint8Array);
  #last: number | undefined;

  /** The last state; undefined where there is none. */
  get last(): number | undefined {
    return this.#last;
  }

  put(atNs: number, state: number): void {
    if (this.#last === state) return;
    // Several changes at one moment: the last one stands.
    if (this.#startsNs.last === atNs) {
      this.#startsNs.pop();
      this.#states.pop();
      this.#last = this.#states.last;
      this.put(atNs, state);
      return;
    }
    this.#startsNs.push(atNs);
    this.#states.push(state);
    this.#last = state;
  }

  /** The state just before `atNs`; undefined where none is known so early. */
  before(atNs: number): number | undefined {
    return this.#states.values[lowerBound(this.#startsNs.values, atNs) - 1];
  }

  /** All that were put down, once no more will come: they stay where they lie. */
  whole(): States {
    this.#startsNs.trim();
    this.#states.trim();
    return { startsNs: this.#startsNs.values, states: this.#states.values };
  }
}
