import { expect, test } from 'vitest';
import { investigationOf, isOwnAddress } from './address.svelte.ts';

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

test.each([
  ['', true],
  ['#investigation=3', true],
  ['#content', false],
  ['#investigation=3x', false],
])('%j is the app’s own address: %s', (hash, own) => {
  expect(isOwnAddress(hash)).toBe(own);
});
