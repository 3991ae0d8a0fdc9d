import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzyMatch } from './fuzzy-match.ts';

const best = (query: string, texts: readonly string[]) =>
  texts
    .map((text) => ({ text, score: fuzzyMatch(query, text)?.score ?? -1 }))
    .sort((a, b) => b.score - a.score)[0]?.text;

describe('fuzzy match', () => {
  test('prefers the start of the text, then of a word, then anything', () => {
    expect(best('note', ['A footnote', 'Go to: notes', 'Notes'])).toBe('Notes');
    expect(best('note', ['A footnote', 'Go to: notes'])).toBe('Go to: notes');
    expect(best('nsc', ['Next slow CUDA call', 'Notes and scrolls'])).toBe('Next slow CUDA call');
    expect(best('slow cu', ['Next slow call', 'Next slow CUDA call'])).toBe('Next slow CUDA call');
  });

  test('marks what it found', () => {
    expect(fuzzyMatch('zoo', 'Zoom in')?.positions).toEqual([0, 1, 2]);
    expect(fuzzyMatch('zi', 'Zoom in')?.positions).toEqual([0, 5]);
    expect(fuzzyMatch('in zoom', 'Zoom in')?.positions).toEqual([0, 1, 2, 3, 5, 6]);
  });

  test('needs every word and every letter', () => {
    expect(fuzzyMatch('zoom out', 'Zoom in')).toBeUndefined();
    expect(fuzzyMatch('zzz', 'Zoom in')).toBeUndefined();
    expect(fuzzyMatch('not', 'Pin the track on top')).toBeUndefined();
    expect(fuzzyMatch('', 'Zoom in')).toEqual({ score: 0, positions: [] });
  });

  test('what it marks spells the query, whatever the letters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (query, text) => {
          const match = fuzzyMatch(query, text);
          const word = query.toLowerCase().trim();
          if (match === undefined || match.positions.length === 0 || /\s/.test(word)) return;
          const marked = match.positions.map((at) => text[at]).join('');
          expect(marked.toLowerCase()).toBe(word);
        },
      ),
    );
  });
});
