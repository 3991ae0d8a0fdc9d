import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileName, hostileNames } from '../../test/fixtures/hostile/names.ts';
import { activeParts, structureOf } from '../../test/support/page/github-markdown.ts';
import { wrongPlaces } from '../../test/support/page/report-places.ts';
import { parseMarkdown } from './tree.ts';
import { writeMarkdown } from './write.ts';

describe('a report for GitHub', () => {
  test.each(Object.entries(hostileNames))('%s changes nothing but words', (_kind, name) => {
    expect(wrongPlaces(name)).toEqual([]);
  });

  test('nor does any mixture of them', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        expect(wrongPlaces(name)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('a note keeps its form, and nothing in it acts', () => {
    fc.assert(
      fc.property(fc.array(hostileName, { minLength: 1, maxLength: 4 }), (names) => {
        const note = writeMarkdown(parseMarkdown(names.join('\n\n')));
        const quoted = note.split('\n').map((line) => `> ${line}`.trimEnd());
        const text = `before\n\n${quoted.join('\n')}\n\nafter`;
        const parts = activeParts(text).filter((part) => !/^(?:link|acts): https?:/.test(part));
        expect(parts).toEqual([]);
        expect(structureOf(text).filter((block) => !block.startsWith('>'))).toEqual([
          'paragraph',
          'quote',
          'paragraph',
        ]);
      }),
      { numRuns: 200 },
    );
  });
});
