/**
 * Ctrl+C, a polite kill, and the end of the terminal. The handlers stay: what the first one began must
 * not be cut short by the next.
 */
export interface Interrupts {
  /** Aborted by whatever asks this process to end and is not handled otherwise. */
  readonly signal: AbortSignal;
  /** What Ctrl+C does from now on, instead of aborting `signal`; undefined: that again. */
  onInterrupt(handler: (() => void) | undefined): void;
  close(): void;
}

export function watchInterrupts(): Interrupts {
  const stop = new AbortController();
  let onInterrupt: (() => void) | undefined;
  const interrupt = () => (onInterrupt === undefined ? stop.abort() : onInterrupt());
  const end = () => stop.abort();
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  return {
    signal: stop.signal,
    onInterrupt(handler) {
      onInterrupt = handler;
    },
    close() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', end);
      process.off('SIGHUP', end);
    },
  };
}
