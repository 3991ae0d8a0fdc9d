import { expect, test } from 'vitest';
import { investigationOf } from './address.svelte.ts';

test('an address names an investigation by its number, or none', () => {
  expect(investigationOf('#investigation=3')).toBe(3);
  for (const hash of [
    '',
    '#',
    '#token=x',
    '#investigation=',
    '#investigation=-1',
    '#investigation=3x',
  ]) {
    expect(investigationOf(hash)).toBeUndefined();
  }
});
