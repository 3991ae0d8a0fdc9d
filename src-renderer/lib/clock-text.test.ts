import { expect, test } from 'vitest';
import { clockText, spanText } from './clock-text.ts';

test('a stopwatch, which never goes below zero', () => {
  expect([0, 9.9, 192, 3725, -4].map(clockText)).toEqual([
    '0:00',
    '0:09',
    '3:12',
    '1:02:05',
    '0:00',
  ]);
});

test('a duration in words, without parts that say nothing', () => {
  expect([0, 45, 60, 192, 3600, 7500].map(spanText)).toEqual([
    '0 s',
    '45 s',
    '1 min',
    '3 min 12 s',
    '1 h',
    '2 h 5 min',
  ]);
});
