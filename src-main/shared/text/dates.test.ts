import { expect, test } from 'vitest';
import { formatUnixNs, formatUtcMinute } from './dates.ts';

test('a moment beyond 2^53 ns is a date', () => {
  expect(formatUnixNs('1771782065123456789')).toBe('2026-02-22 17:41:05 UTC');
});

test.each(['0', '-5', 'x', '999999999999999999999'])('%s is no date', (unixNs) => {
  expect(formatUnixNs(unixNs)).toBeUndefined();
});

test('text that is no date reads as missing', () => {
  expect(formatUtcMinute('yesterday')).toBe('–');
  expect(formatUtcMinute('2026-02-22T17:41:05Z')).toBe('2026-02-22 17:41');
});
