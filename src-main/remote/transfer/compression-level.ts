/** What came of a request, and when. */
export interface FrameTimes {
  readonly nowMs: number;
  readonly wireBytes: number;
  /** Of `tookMs`, how long the link had nothing to carry: the host was not done compressing. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

/**
 * What a level pays for: the slower the link, the more of the host's time a byte is worth. Of a trace,
 * one core compresses some 380 MB/s at level 1, 220 at 3, 90 at 6, 58 at 9 (zstd 1.5, AMD EPYC).
 */
const LEVELS = [
  { level: 1, upToBytesPerS: Number.POSITIVE_INFINITY },
  { level: 3, upToBytesPerS: 40e6 },
  { level: 6, upToBytesPerS: 10e6 },
  { level: 9, upToBytesPerS: 3e6 },
] as const;

const WINDOW_MS = 1000;
/** Of the time of all channels: with less the host keeps up easily, with more it is what all wait for. */
const KEEPS_UP = 0.1;
const LAGS = 0.5;

/**
 * How hard the host compresses, looked at once a second: a step more where the link is slow enough for
 * it and the host keeps up, a step less where the link waits for the host.
 */
export class CompressionLevel {
  private at = 0;
  private sinceMs: number | undefined;
  private bytes = 0;
  private waitedMs = 0;
  private tookMs = 0;

  get level(): number {
    return LEVELS[this.at]?.level ?? 1;
  }

  note({ nowMs, wireBytes, waitedMs, tookMs }: FrameTimes): void {
    this.sinceMs ??= nowMs - tookMs;
    this.bytes += wireBytes;
    this.waitedMs += waitedMs;
    this.tookMs += tookMs;
    const elapsedMs = nowMs - this.sinceMs;
    if (elapsedMs < WINDOW_MS) return;
    this.decide((this.bytes / elapsedMs) * 1000, this.waitedMs / this.tookMs);
    this.sinceMs = nowMs;
    this.bytes = 0;
    this.waitedMs = 0;
    this.tookMs = 0;
  }

  private decide(bytesPerS: number, waitedShare: number): void {
    const next = LEVELS[this.at + 1];
    const upTo = LEVELS[this.at]?.upToBytesPerS ?? 0;
    // Twice what led to it, so that it does not go back and forth.
    if (waitedShare > LAGS || bytesPerS > 2 * upTo) this.at = Math.max(0, this.at - 1);
    else if (next !== undefined && waitedShare < KEEPS_UP && bytesPerS < next.upToBytesPerS)
      this.at++;
  }
}
