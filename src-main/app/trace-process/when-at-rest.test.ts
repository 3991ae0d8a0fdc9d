import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenAtRest } from './when-at-rest.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Steps that take so long each, and what was done of them. */
function stepsOf(count: number, eachMs: number) {
  const done: number[] = [];
  function* steps() {
    for (let step = 0; step < count; step++) {
      done.push(step);
      busyMs += eachMs;
      yield;
    }
  }
  let busyMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + busyMs);
  return { done, steps: steps() };
}

const unasked = { isAsked: () => false };

test('nothing is done while tiles are sent, nor just after a trace was opened', () => {
  const { done, steps } = stepsOf(3, 1);
  let idleMs = 10_000;
  whenAtRest(steps, { ...unasked, idleMs: () => idleMs }, () => true);
  vi.advanceTimersByTime(400);
  expect(done).toEqual([]);
  idleMs = 0;
  vi.advanceTimersByTime(20_000);
  expect(done).toEqual([]);
  idleMs = 600;
  vi.advanceTimersByTime(1_000);
  expect(done).toEqual([0, 1, 2]);
});

test('a question that comes meanwhile waits for a step, not for all of them', () => {
  const { done, steps } = stepsOf(10, 50);
  whenAtRest(steps, { ...unasked, idleMs: () => 10_000 }, () => true);
  vi.advanceTimersByTime(500);
  expect(done).toEqual([0]);
  vi.advanceTimersToNextTimer();
  expect(done).toEqual([0, 1]);
  vi.advanceTimersByTime(1_000);
  expect(done).toHaveLength(10);
});

test('nothing is done while somebody waits for an answer, and it goes on behind that', () => {
  const { done, steps } = stepsOf(10, 50);
  let isAsked = true;
  whenAtRest(steps, { idleMs: () => 10_000, isAsked: () => isAsked }, () => true);
  vi.advanceTimersByTime(5_000);
  expect(done).toEqual([]);
  isAsked = false;
  vi.advanceTimersToNextTimer();
  expect(done).toEqual([0]);
});

test('what is not wanted any more is not done', () => {
  const { done, steps } = stepsOf(10, 50);
  let isWanted = true;
  whenAtRest(steps, { ...unasked, idleMs: () => 10_000 }, () => isWanted);
  vi.advanceTimersByTime(500);
  isWanted = false;
  vi.advanceTimersByTime(10_000);
  expect(done).toEqual([0]);
});

test('somebody who never reads the tiles that were sent does not keep it from being done for ever', () => {
  const { done, steps } = stepsOf(1, 1);
  whenAtRest(steps, { ...unasked, idleMs: () => 0 }, () => true);
  vi.advanceTimersByTime(59_000);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(3_000);
  expect(done).toEqual([0]);
});
