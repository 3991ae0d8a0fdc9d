/** Ctrl+C, a polite kill, and the end of the terminal or of the ssh connection. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first signal that asks this process to end. The handlers stay: the same Ctrl+C may
 * arrive twice, and the second must not cut short how the first one is cleaned up after.
 */
export function onStopSignal(stop: AbortController): void {
  for (const signal of SIGNALS) process.on(signal, () => stop.abort());
}
