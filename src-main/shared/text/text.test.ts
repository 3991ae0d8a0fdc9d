import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileName, hostileNames, UNREADABLE } from '../../../test/fixtures/hostile/names.ts';
import { cleanText, MAX_NAME_LENGTH } from './text.ts';

test.each(Object.entries(hostileNames))('%s reads as what it is', (_kind, name) => {
  const shown = cleanText(name);
  expect(shown).not.toMatch(UNREADABLE);
  expect(shown.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
  expect(cleanText(shown)).toBe(shown);
});

test('any mixture of them does', () => {
  fc.assert(fc.property(hostileName, (name) => !UNREADABLE.test(cleanText(name, 5_000))));
});

test.each([
  ['cudaMemcpyAsync', 'cudaMemcpyAsync'],
  ['a\u001b[31mb\u007f\u009b\u202e', 'a␛[31mb␡��'],
  [
    'e\u0301\u0323 กี่ 葛\u{e0100} 1\ufe0f\u20e3 हिन्दी',
    'e\u0301\u0323 กี่ 葛\u{e0100} 1\ufe0f\u20e3 हिन्दी',
  ],
  ['x\u{e0100}', 'x�'],
  [`o${'\u0300'.repeat(900)}`, `o${'\u0300'.repeat(4)}�`],
  ['\ud83d\ude00 \ud83d', '😀 �'],
])('%j is shown as %j', (name, shown) => {
  expect(cleanText(name)).toBe(shown);
});
