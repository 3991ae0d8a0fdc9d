import { type Phase, phases } from '../../shared/answers/steps.ts';
import { codeOf } from '../../shared/model/codes.ts';

/** What a training thread did, interval by interval. */
export interface PhaseIntervals {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** Codes of `phases` in shared/steps.ts. */
  readonly phases: Uint8Array;
  /** Row of cuda_call; -1 = outside CUDA calls. */
  readonly calls: Int32Array;
}

export const PHASE: Readonly<Record<Phase, number>> = {
  other: codeOf(phases, 'other'),
  input: codeOf(phases, 'input'),
  h2d: codeOf(phases, 'h2d'),
  compute: codeOf(phases, 'compute'),
  collective: codeOf(phases, 'collective'),
  idle: codeOf(phases, 'idle'),
};

/** Intervals that are put down one after the other: they tile from the begin to the last end. */
export class PhaseList {
  #startsNs: Float64Array;
  #phases: Uint8Array;
  #calls: Int32Array;
  #count = 0;
  #endNs: number;

  constructor(beginNs: number, expected = 1024) {
    this.#endNs = beginNs;
    this.#startsNs = new Float64Array(expected);
    this.#phases = new Uint8Array(expected);
    this.#calls = new Int32Array(expected);
  }

  get endNs(): number {
    return this.#endNs;
  }

  /** From the last end to `endNs`; joined with what stands there if it is the same. */
  until(endNs: number, phase: number, call = -1): void {
    if (endNs <= this.#endNs) return;
    const last = this.#count - 1;
    if (last < 0 || this.#phases[last] !== phase || this.#calls[last] !== call) {
      if (this.#count === this.#startsNs.length) this.#grow();
      this.#startsNs[this.#count] = this.#endNs;
      this.#phases[this.#count] = phase;
      this.#calls[this.#count++] = call;
    }
    this.#endNs = endNs;
  }

  intervals(): PhaseIntervals {
    // Each ends where the next begins: the same numbers, one further.
    const boundsNs = new Float64Array(this.#count + 1);
    boundsNs.set(this.#startsNs.subarray(0, this.#count));
    boundsNs[this.#count] = this.#endNs;
    return {
      startsNs: boundsNs.subarray(0, this.#count),
      endsNs: boundsNs.subarray(1),
      phases: this.#phases.slice(0, this.#count),
      calls: this.#calls.slice(0, this.#count),
    };
  }

  #grow(): void {
    const startsNs = new Float64Array(this.#count * 2);
    startsNs.set(this.#startsNs);
    this.#startsNs = startsNs;
    const codes = new Uint8Array(this.#count * 2);
    codes.set(this.#phases);
    this.#phases = codes;
    const calls = new Int32Array(this.#count * 2);
    calls.set(this.#calls);
    this.#calls = calls;
  }
}
