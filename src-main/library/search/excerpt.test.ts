import { describe, expect, test } from 'vitest';
import { createFinder } from '../store/words.ts';
import { excerpt } from './excerpt.ts';

describe('an excerpt', () => {
  test('is one line around the hit', () => {
    const text = `${'x '.repeat(40)}before\nthe  Größenordnung\tis what ${'y '.repeat(60)}`;
    expect(excerpt(text, createFinder(['große']))).toEqual({
      before: `…${'x '.repeat(5)}before the `,
      hit: 'Größe',
      after: `nordnung is what ${'y '.repeat(31)}y…`,
    });
  });

  test('is cut between characters, and shows control and direction characters', () => {
    const piece = excerpt(
      `${'😀'.repeat(30)}\u202e \u0000 hit${'a'.repeat(200)}😀${'😀'.repeat(99)}`,
      createFinder(['hit']),
    );
    expect(piece?.before).toMatch(/^…(😀)+� ␀ $/u);
    expect(piece?.hit).toBe('hit');
    expect(piece?.after.isWellFormed()).toBe(true);
    expect(excerpt('b'.repeat(90), createFinder(['b'.repeat(85)]))?.hit).toHaveLength(80);
    expect(excerpt('nothing', createFinder(['hit']))).toBeUndefined();
  });
});
