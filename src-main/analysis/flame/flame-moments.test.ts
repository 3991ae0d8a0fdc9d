import { expect, test } from 'vitest';
import { FlameMoments } from './flame-moments.ts';

test('of events with a length, time stands still in width where nothing is drawn', () => {
  const moments = new FlameMoments();
  moments.add(0, 100, 110);
  moments.add(10, 500, 530);
  moments.add(40, 520, 525);
  expect(moments.finish(45)).toEqual([
    [0, 100],
    [10, 110],
    [10, 500],
    [40, 520],
    [45, 530],
  ]);
});

test('of samples each stands where it was taken', () => {
  const moments = new FlameMoments();
  moments.add(0, 5, 5);
  moments.add(1, 25, 25);
  expect(moments.finish(2)).toEqual([
    [0, 5],
    [1, 25],
    [2, 25],
  ]);
});

test('of very many some are kept, evenly, and both never fall', () => {
  const moments = new FlameMoments();
  const count = 100_000;
  for (let at = 0; at < count; at++) moments.add(at, at * 10, at * 10);
  const kept = moments.finish(count);
  expect(kept.length).toBeLessThan(1_100);
  expect([kept[0], kept.at(-1)]).toEqual([
    [0, 0],
    [count, (count - 1) * 10],
  ]);
  for (const [at, [weight, ns]] of kept.entries()) {
    expect(weight).toBeGreaterThanOrEqual(kept[at - 1]?.[0] ?? 0);
    expect(ns).toBeGreaterThanOrEqual(kept[at - 1]?.[1] ?? 0);
  }
});

test('of nothing there are none', () => {
  expect(new FlameMoments().finish(0)).toEqual([]);
});
