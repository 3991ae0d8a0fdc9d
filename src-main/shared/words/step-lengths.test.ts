import { expect, test } from 'vitest';
import { stepLengths } from './step-lengths.ts';

const split = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
const typical = { ...split, durationNs: 9e5, p95Ns: 1e8, meanNs: 5e7 };

test('says the middle of steps of one kind, and both of two', () => {
  expect(stepLengths({ count: 80, typical })).toBe(
    '80 steps, half of them up to 900.0 µs, 95 % up to 100.0 ms.',
  );
  const kinds = [
    { count: 41, medianNs: 9e5 },
    { count: 39, medianNs: 1e8 },
  ] as const;
  expect(stepLengths({ count: 80, typical: { ...typical, kinds } })).toBe(
    '80 steps of two kinds: 41 of about 900.0 µs and 39 of about 100.0 ms.',
  );
  expect(stepLengths({ count: 0 })).toBe('');
});
