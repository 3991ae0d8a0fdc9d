import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const names = ['info', 'explain', 'export', 'capture', 'captures', 'check', 'serve'];

test.each([
  ['exprot', 'export'],
  ['explan', 'explain'],
  ['capturse', 'captures'],
  ['captur', 'capture'],
  ['INFO', undefined],
  ['nonsense', undefined],
  ['x', undefined],
  ['', undefined],
])('%s: %s', (typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
