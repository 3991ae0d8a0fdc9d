/** A copy that is whole and on the disk. */
export interface TraceCopy {
  /** Of the copy's bytes, hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
}
