/** A part of the time in which the training loop waited for input. */
export interface InputPart {
  /** What went on meanwhile: `a worker was on a CPU, in decode (train.py:12)`. */
  readonly text: string;
  readonly ns: number;
}

/** The loop’s waits for input by what went on meanwhile, whether a finding tells of it or not. */
export interface InputTimeParts {
  /** The phase `input` of the window. */
  readonly ns: number;
  /** Most first; small ones are left out. */
  readonly parts: readonly InputPart[];
  /** What the parts leave of `ns`. */
  readonly restNs: number;
}
