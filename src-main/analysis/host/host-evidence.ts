/** What is known of moments and waits of the training thread in its other time; one array element each, in order. */
export class HostEvidence {
  length = 0;
  /** Index of the stretch that it lies in. */
  readonly stretch: Int32Array;
  readonly startsNs: Float64Array;
  /** Equal to the start for a sample. */
  readonly endsNs: Float64Array;
  /** The time that it stands for: of a wait its own, of a sample that around it. */
  readonly ns: Float64Array;
  /** Code of hostKinds. */
  readonly kind: Uint8Array;
  /** 1 = its own stack or system call says its kind; 0 = what is around it, or nothing. */
  readonly isOwn: Uint8Array;
  /** 1 = in a library that computes, which does not say what for. */
  readonly isComputing: Uint8Array;
  /** 1 = a row of cpu_sample, 0 = of off_cpu. */
  readonly isSample: Uint8Array;
  readonly row: Int32Array;
  /** Row of the stacks whose frame is the place; -1 = none. */
  readonly place: Int32Array;
  /** A number for the function of the place; -1 = none. */
  readonly func: Int32Array;

  constructor(capacity: number) {
    this.stretch = new Int32Array(capacity);
    this.startsNs = new Float64Array(capacity);
    this.endsNs = new Float64Array(capacity);
    this.ns = new Float64Array(capacity);
    this.kind = new Uint8Array(capacity);
    this.isOwn = new Uint8Array(capacity);
    this.isComputing = new Uint8Array(capacity);
    this.isSample = new Uint8Array(capacity);
    this.row = new Int32Array(capacity);
    this.place = new Int32Array(capacity);
    this.func = new Int32Array(capacity);
  }
}
