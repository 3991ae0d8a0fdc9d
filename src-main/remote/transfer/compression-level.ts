/** Levels of zstd; 0: as it is. */
export interface FrameTimes {
  readonly nowMs: number;
  readonly wireBytes: number;
  /** Of `tookMs`, how long the link had nothing to carry: the host compressed. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

/** Levels that are tried, least work for the host first. */
const LEVELS = [1, 3, 6, 9] as const;

export class CompressionLevel {
  get level(): number {
    return LEVELS[0];
  }

  note(_frame: FrameTimes): void {}
}
