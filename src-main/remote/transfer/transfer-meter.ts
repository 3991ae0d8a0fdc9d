import type { TransferProgress } from '../../shared/remote/run.ts';

/** The speed is that of so long. */
const WINDOW_MS = 5000;
/** Below it a speed is chance. */
const SHORTEST_MS = 500;

/** Counts a transfer for whoever looks at it. */
export class TransferMeter {
  totalBytes = 0;
  doneBytes = 0;
  wireBytes = 0;
  step: TransferProgress['step'] = 'waiting';
  private readonly samples: { readonly atMs: number; readonly fetchedBytes: number }[] = [];
  private fetchedBytes = 0;

  /** Bytes of the trace that were fetched just now, as against those that were here. */
  fetched(bytes: number): void {
    this.doneBytes += bytes;
    this.fetchedBytes += bytes;
  }

  progress(nowMs: number): TransferProgress {
    this.samples.push({ atMs: nowMs, fetchedBytes: this.fetchedBytes });
    while ((this.samples[1]?.atMs ?? nowMs) < nowMs - WINDOW_MS) this.samples.shift();
    const [first] = this.samples;
    const elapsedMs = nowMs - (first?.atMs ?? nowMs);
    const bytes = this.fetchedBytes - (first?.fetchedBytes ?? 0);
    const bytesPerSecond = elapsedMs < SHORTEST_MS ? 0 : (bytes / elapsedMs) * 1000;
    const { totalBytes, doneBytes, wireBytes, step } = this;
    const etaS = (totalBytes - doneBytes) / bytesPerSecond;
    return {
      totalBytes,
      doneBytes,
      wireBytes,
      bytesPerSecond,
      ...(Number.isFinite(etaS) && { etaS }),
      step,
    };
  }
}
