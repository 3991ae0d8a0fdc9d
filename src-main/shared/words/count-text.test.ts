import { expect, test } from 'vitest';
import { bytesText, countHint, countText, longestNs, totalHint, totalText } from './count-text.ts';

test.each([
  [{ count: 1200 }, '1,200', undefined],
  [
    { count: 16, counted: { stored: 16, counted: 30 } },
    '16 of 30',
    '30 were recorded, 16 are stored',
  ],
  [
    { count: 8, counted: { stored: 16, counted: 30 } },
    '≥ 8',
    '30 of all directions and sizes were recorded, 16 are stored',
  ],
])('%j', (counts, text, hint) => {
  expect(countText(counts)).toBe(text);
  expect(countHint(counts)).toBe(hint);
});

const selection = {
  ...{ count: 14, totalNs: 441e6, maxNs: 65e6, bytes: 2 ** 30 },
  counted: {
    ...{ stored: 14, counted: 21, storedNs: 441e6, totalNs: 665e6, maxNs: 80e6 },
    ...{ storedBytes: 2 ** 30, bytes: 3 * 2 ** 30 },
  },
};

test('launches that were seen in windows are the least that there were', () => {
  const seen = { count: 14, counted: { stored: 14, counted: 21, isSeenInWindows: true } } as const;
  expect(countText(seen)).toBe('14 of ≥ 21');
  expect(countHint(seen)).toBe(
    '21 were recorded in the windows in which they were probed, 14 are stored',
  );
});

test('times and sizes are told as counts are: stored of all that happened', () => {
  expect(totalText(selection)).toBe('441.0 ms of 665.0 ms');
  expect(totalText({ ...selection, counted: { ...selection.counted, isAtLeast: true } })).toBe(
    '441.0 ms of ≥ 665.0 ms',
  );
  expect(bytesText(selection)).toBe('1.000 GiB of 3.000 GiB');
  expect(longestNs(selection)).toBe(80e6);
  expect(totalHint(selection)).toBe('665.0 ms by the recorder’s sums, 441.0 ms in what is stored');
});

test('a part of an operation has no more than what is stored of it', () => {
  const part = { ...selection, count: 8, totalNs: 100e6, bytes: 2 ** 20 };
  expect(totalText(part)).toBe('≥ 100.0 ms');
  expect(bytesText(part)).toBe('≥ 1.000 MiB');
  expect(longestNs(part)).toBe(65e6);
  expect(totalHint(part)).toContain('665.0 ms of all directions and sizes');
});

test('where the sums tell neither, what is stored is the least', () => {
  const untold = { ...selection, counted: { stored: 14, counted: 21 } };
  expect([totalText(untold), bytesText(untold)]).toEqual(['≥ 441.0 ms', '≥ 1.000 GiB']);
});

test('moments and sums without times have none', () => {
  const moment = { count: 3, totalNs: 0, maxNs: 0, bytes: 0 };
  expect([totalText(moment), bytesText(moment), totalHint(moment)]).toEqual(['', '', undefined]);
  expect(totalText({ ...moment, count: 0, totalNs: -1, onlySums: true })).toBe('');
});
