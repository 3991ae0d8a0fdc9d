import { afterEach, expect, test } from 'vitest';
import { onStopSignal } from './stop-signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));

afterEach(() => {
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
    }
  }
});

test.each(SIGNALS)('%s stops once, and stays handled when it comes again', (signal) => {
  const stop = new AbortController();
  onStopSignal(stop);
  const handlers = process.listenerCount(signal);
  process.emit(signal, signal);
  expect(stop.signal.aborted).toBe(true);
  process.emit(signal, signal);
  expect(process.listenerCount(signal)).toBe(handlers);
});
