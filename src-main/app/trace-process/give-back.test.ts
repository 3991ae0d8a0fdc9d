import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atRest } from '../../system/at-rest.ts';
import { giveBackMemory } from './give-back.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('memory is given back once after each time that it was used, and not while it is', () => {
  const giveBack = vi.fn();
  const used = atRest(giveBack, 100);
  vi.advanceTimersByTime(1_000);
  expect(giveBack).not.toHaveBeenCalled();
  for (let times = 0; times < 5; times++) {
    used();
    vi.advanceTimersByTime(99);
  }
  expect(giveBack).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(giveBack).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(giveBack).toHaveBeenCalledTimes(1);
  used();
  vi.advanceTimersByTime(100);
  expect(giveBack).toHaveBeenCalledTimes(2);
});

test('what nothing refers to any more is gone', () => {
  let large: object | undefined = { of: new Array(1000).fill(1) };
  const seen = new WeakRef(large);
  large = undefined;
  vi.useRealTimers();
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    giveBackMemory();
    expect(seen.deref()).toBeUndefined();
  });
});
