import { expect, test } from 'vitest';
import { busyPath } from './busy-path.ts';

test('draws a bar for each stretch that was busy, from the bottom up', () => {
  expect(busyPath([0, 50, 100, 0], 20)).toBe('M1 20v-10h1v10zM2 20v-20h1v20z');
  expect(busyPath([0, 0], 20)).toBe('');
});
