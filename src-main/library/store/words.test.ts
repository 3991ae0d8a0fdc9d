import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFinder, termsOf, wordsOf } from './words.ts';

const SAFE = /^[\p{L}\p{N}\p{M}\p{So}]+$/u;

describe('words', () => {
  test.each([
    ['Training_step-2, GPU:0', ['training', 'step', '2', 'gpu', '0']],
    ['Größe ÉTÉ naïve Łódź', ['große', 'ete', 'naive', 'łodz']],
    ['ΟΔΟΣ ΟΔΟΣΑ', ['οδοσ', 'οδοσα']],
    ['ﬁle ＦＵＬＬ İstanbul', ['file', 'full', 'istanbul']],
    ['データ 한국어', ['データ'.normalize('NFKD'), '한국어'.normalize('NFKD')]],
    ['कि का', ['कि', 'का']],
    ['slow 🔥🔥 \u200bhot❤\ufe0f', ['slow', '🔥', 'hot', '❤']],
    ['"a* OR (b)" -- \u0000\ud800', ['a', 'or', 'b']],
    ['½ ⑴ ℀', ['12', '1', 'ac']],
    ['   ---   ', []],
  ])('of %j', (text, words) => {
    expect([...wordsOf(text)]).toEqual(words);
  });

  test('written in one piece are one term', () => {
    expect([...termsOf('pt_data  worker.py, "a/b-c" x_ 🔥-🔥 É_')]).toEqual([
      'pt data',
      'worker py',
      'a b c',
      'x',
      '🔥 🔥',
      'e',
    ]);
    const find = createFinder(['pt data']);
    const hitIn = (text: string) => {
      const hit = find(text);
      return hit && text.slice(hit.start, hit.end);
    };
    expect(hitIn('apt_data pt, x pt_dataset')).toBe('pt_data');
    expect(hitIn('é apt_data pt, x pt_dataset')).toBe('pt_data');
    expect(hitIn('ptx_data é')).toBeUndefined();
  });

  test('are of letters, digits, marks and symbols only, so that they are safe in a query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const unsafe = [...wordsOf(text)].filter((word) => !SAFE.test(word));
        expect(unsafe).toEqual([]);
      }),
    );
  });

  test('are found where they are said to be', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.nat(),
        fc.integer({ min: 1, max: 5 }),
        (text, pick, length) => {
          const words = [...wordsOf(text)];
          fc.pre(words.length > 0);
          const word = [...(words[pick % words.length] ?? '')].slice(0, length).join('');
          const hit = createFinder([word])(text);
          if (hit === undefined) throw new Error('not found');
          expect([...wordsOf(text.slice(hit.start, hit.end))].join('')).toMatch(
            new RegExp(`^${word}`, 'u'),
          );
        },
      ),
    );
  });

  test('are found in plain text as in any other', () => {
    const plainText = fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '_', '-', '\u0000') });
    const plainWord = fc.string({
      unit: fc.constantFrom('a', 'b', '1'),
      minLength: 1,
      maxLength: 3,
    });
    const term = fc.array(plainWord, { minLength: 1, maxLength: 3 }).map((each) => each.join(' '));
    fc.assert(
      fc.property(plainText, fc.array(term, { maxLength: 2 }), (text, some) => {
        const words = [...some, 'é'];
        // One character more makes it a text that is not plain.
        expect(createFinder(words)(text)).toEqual(createFinder(words)(`${text} \u00ff`));
      }),
    );
  });

  test('of a long run of marks are found within the time of a test', () => {
    const text = `a${'\u0301'.repeat(100_000)} b`;
    expect(createFinder(['a'])(text)).toEqual({ start: 0, end: 100_001 });
    expect([...wordsOf(text)]).toEqual(['a', 'b']);
  });
});
