/** After so many intervals without a byte from it, a peer is gone. */
const SILENT_INTERVALS = 3;

/**
 * Calls `onSilence` once when `bytesRead` stands still for three intervals. Anything that arrives
 * counts, not only the answers to ssh2's own keep-alives: behind a queue of data on a slow link those
 * are late, and a link that is busy is not lost. Returns what stops it.
 */
export function watchSignsOfLife(
  bytesRead: () => number,
  intervalMs: number,
  onSilence: () => void,
): () => void {
  let last = bytesRead();
  let silent = 0;
  const timer = setInterval(() => {
    const now = bytesRead();
    silent = now === last ? silent + 1 : 0;
    last = now;
    if (silent < SILENT_INTERVALS) return;
    clearInterval(timer);
    onSilence();
  }, intervalMs);
  return () => clearInterval(timer);
}
