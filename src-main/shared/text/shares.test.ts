import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareTexts } from './shares.ts';

test('thirds sum to 100.0', () => {
  expect(shareTexts([1, 1, 1])).toEqual(['33.4\u00a0%', '33.3\u00a0%', '33.3\u00a0%']);
});

test('a whole part reads 100 %, a tiny one never 0', () => {
  expect(shareTexts([0, 65_000_369])).toEqual(['0\u00a0%', '100\u00a0%']);
  expect(shareTexts([1, 1e9])[0]).toBe('<0.1\u00a0%');
});

test('what is shown sums to exactly 100.0, tiny parts aside', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e9), { minLength: 1, maxLength: 6 }), (parts) => {
      fc.pre(parts.some((part) => part > 0));
      const tenths = shareTexts(parts)
        .filter((text) => !text.startsWith('<'))
        .reduce((sum, text) => sum + Math.round(Number.parseFloat(text) * 10), 0);
      expect(tenths).toBe(1000);
    }),
  );
});
