import { expect, test } from 'vitest';
import { dateClock } from './date-clock.ts';

/** Clocks that take 0.1 µs to read, but the one at number `stallAt`, which the machine has no time for. */
function simulated(phaseMs: number, stallAt: number) {
  const began = 1_764_000_000_000 + phaseMs;
  let [ms, reads] = [50, 0];
  const pass = () => {
    ms += reads++ === stallAt ? 3.3 : 1e-4;
  };
  return {
    date: () => {
      pass();
      return Math.floor(began + ms);
    },
    monotonic: () => {
      pass();
      return ms;
    },
    trueDate: () => began + ms,
  };
}

test('is right to what it says, whenever the machine has no time for it', () => {
  for (const phaseMs of [0, 0.2, 0.9995])
    for (let stallAt = 0; stallAt < 40; stallAt++) {
      const clocks = simulated(phaseMs, stallAt);
      const clock = dateClock(clocks);
      const off = Math.abs(clock.now() - clocks.trueDate());
      expect(off, `${phaseMs} ms, read ${stallAt}`).toBeLessThanOrEqual(clock.uncertaintyMs + 1e-3);
    }
  // Left alone, it is a thousand times finer than Date.
  expect(dateClock(simulated(0.2, -1)).uncertaintyMs).toBeLessThan(1e-3);
});

test('reads this machine’s date', () => {
  const clock = dateClock();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
});
