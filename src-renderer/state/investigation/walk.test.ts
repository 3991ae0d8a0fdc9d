import { expect, test } from 'vitest';
import { Walk } from './walk.svelte.ts';

const places = [0, 1, 2].map((at) => ({
  window: { startNs: at, endNs: at + 1 },
  thread: 4,
  finding: 'x',
}));

test('the same figure again goes on with its next occurrence, and round', () => {
  const walk = new Walk();
  const walked = { what: 'It waited', places, count: 9 };
  const seen = [1, 2, 3, 4].map(() => walk.begin({ ...walked })?.window?.startNs);
  expect(seen).toEqual([0, 1, 2, 0]);
});

test('another figure begins at its first, and nobody leaves the list', () => {
  const walk = new Walk();
  walk.begin({ what: 'It waited', places, count: 3 });
  walk.begin({ what: 'It ran', places: places.slice(1), count: 2 });
  expect(walk.index).toBe(0);
  expect(walk.goTo(7)?.window?.startNs).toBe(2);
  expect(walk.goTo(-1)?.window?.startNs).toBe(1);
  walk.close();
  expect(walk.goTo(0)).toBeUndefined();
});
