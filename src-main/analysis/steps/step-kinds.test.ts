import { expect, test } from 'vitest';
import { randomFrom } from '../threads/testing/random-time.ts';
import { stepKinds } from './step-kinds.ts';

const MS = 1e6;
const random = randomFrom(1);
const spread = (count: number, ns: number) =>
  Array.from({ length: count }, () => ns * (0.9 + random(200) / 1000));

test('tells both kinds where half of the steps are a hundred times as long', () => {
  const [short, long] =
    stepKinds(Float64Array.from([...spread(41, 0.9 * MS), ...spread(39, 100 * MS)])) ?? [];
  expect(short?.count).toBe(41);
  expect(long?.count).toBe(39);
  expect(short?.medianNs).toBeGreaterThan(0.8 * MS);
  expect(short?.medianNs).toBeLessThan(MS);
  expect(long?.medianNs).toBeGreaterThan(89 * MS);
});

test.each([
  ['steps of one length', spread(80, 10 * MS)],
  ['equal steps', new Array<number>(80).fill(MS)],
  ['lengths spread evenly', Array.from({ length: 80 }, (_, at) => (1 + at) * MS)],
  ['a long tail', Array.from({ length: 200 }, (_, at) => -Math.log((at + 0.5) / 200) * 10 * MS)],
  ['kinds that hardly differ', [...spread(40, 10 * MS), ...spread(40, 15 * MS)]],
  ['a few exceptions', [...spread(95, MS), ...spread(5, 100 * MS)]],
  ['too few steps', [...spread(4, MS), ...spread(4, 100 * MS)]],
  ['no steps', []],
])('says nothing of %s', (_, durations) => {
  expect(stepKinds(Float64Array.from(durations))).toBeUndefined();
});
