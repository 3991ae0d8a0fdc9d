import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitText, textWidth } from './paint.ts';

/** As wide as its letters: W takes 11 px, i 3, all others 7. */
const context = {
  measureText: (text: string) => ({
    width: [...text].reduce((sum, letter) => sum + ({ W: 11, i: 3 }[letter] ?? 7), 0),
  }),
} as unknown as CanvasRenderingContext2D;

const fitted = (text: string, width: number) => fitText(context, new Map(), text, width);

test('text that fits is whole, and cut with … where it does not', () => {
  expect(fitted('Running', 45)).toBe('Running');
  expect(fitted('Running', 44)).toBe('Runni…');
  expect(fitted('Running', 20)).toBe('');
});

test('what is cut is never wider than there is room, whichever letters it begins with', () => {
  const text = fc
    .array(fc.constantFrom('W', 'i', 'a'), { maxLength: 60 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, fc.nat(300), (all, width) => {
      const shown = fitted(all, width);
      expect(shown === '' || textWidth(context, new Map(), shown) <= width).toBe(true);
    }),
  );
  expect(fitted(`${'W'.repeat(20)}${'i'.repeat(1000)}`, 100)).toBe('WWWWWWWW…');
});
