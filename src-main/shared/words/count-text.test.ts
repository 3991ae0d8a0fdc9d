import { expect, test } from 'vitest';
import { countHint, countText } from './count-text.ts';

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
