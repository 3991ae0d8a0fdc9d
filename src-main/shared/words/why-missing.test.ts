import { expect, test } from 'vitest';
import type { Provenance } from '../model/trace.ts';
import { whyMissing } from './why-missing.ts';

const why = (kind: Provenance['kind'], rows: number, note: string) =>
  whyMissing({ wakeup: { rows, provenance: { kind, note } } } as never, 'wakeup', 'Otherwise.');

test('how a table was recorded is no reason why it is empty', () => {
  const saw = 'The recorder saw none: this trace has no wake-ups.';
  expect(why('exact', 0, 'Read from /proc.')).toBe(saw);
  expect(why('exact', 0, '')).toBe(saw);
  expect(why('sampled', 0, 'Read from /proc every 10 ms.')).toBe(saw);
});

test('that all is there is no reason why something is not', () => {
  expect(why('exact', 5, 'All 5 are stored.')).toBe('Otherwise.');
});

test('why a table is absent, a selection or sums is a reason', () => {
  expect(why('absent', 0, 'Not asked for')).toBe('Not asked for.');
  expect(why('aggregated', 0, 'Only sums are kept.')).toBe('Only sums are kept.');
  expect(why('partial', 5, '5 of 9 are stored.')).toBe('5 of 9 are stored.');
  expect(why('sampled', 5, 'Every 10 ms.')).toBe('Every 10 ms.');
  expect(why('absent', 0, '')).toBe('Otherwise.');
  expect(why('absent', 0, 'not asked for')).toBe('Not asked for.');
  expect(why('absent', 0, '/proc says nothing')).toBe('/proc says nothing.');
});
