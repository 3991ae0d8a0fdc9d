import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeBlock, codeCell, codeSpan, escapeMarkdown } from './escape.ts';
import { parseMarkdown, plainText } from './tree.ts';

test.each([
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
  ['# heading', '\\# heading'],
  ['1. list', '1\\. list'],
  ['===', '\\==='],
  ['[text](target)', '\\[text\\](target)'],
  ['$x$ math', '\\$x\\$ math'],
  ['ask @someone about #12 or GH-12', 'ask @<!-- -->someone about #<!-- -->12 or GH-<!-- -->12'],
  ['see https://example.test', 'see https:<!-- -->//example.test'],
  ['www.example.test', 'w<!-- -->ww.example.test'],
  ['a@.b', 'a@<!-- -->.b'],
  ['line\nbreak', 'line␊break'],
])('%j is literal in Markdown', (text, expected) => {
  expect(escapeMarkdown(text)).toBe(expected);
});

test.each([
  ['cudaMemcpyAsync', '`cudaMemcpyAsync`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['', '` `'],
])('%j stays one code span', (text, expected) => {
  expect(codeSpan(text)).toBe(expected);
});

const piece = fc.oneof(
  fc.constantFrom(
    '|',
    '\\',
    '`',
    '``',
    '*',
    '_',
    '<b>',
    '\n',
    '@a',
    '#1',
    '&amp;',
    '~~',
    '![x](y)',
  ),
  fc.string({ maxLength: 8 }),
);
const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

/** What a reader sees, without the spaces at its ends that Markdown does not keep. */
const seen = (text: string) => text.replaceAll('\n', '␊').replace(/\s+/g, ' ').trim();

test('any text in a table stays in its cell', () => {
  fc.assert(
    fc.property(hostile, hostile, (first, second) => {
      const [table] = parseMarkdown(
        `| a | b | c |\n|---|---|---|\n| ${escapeMarkdown(first)} | ${codeCell(second)} | end |`,
      );
      if (table?.kind !== 'table') throw new Error('no table');
      expect(table.rows).toHaveLength(1);
      expect(table.rows[0]?.map(plainText)[2]).toBe('end');
    }),
  );
});

test('printable text reads as it was', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 30 }), (text) => {
      fc.pre(text.trim() !== '');
      const [block] = parseMarkdown(`x ${escapeMarkdown(text)}`);
      if (block?.kind !== 'paragraph') throw new Error('no paragraph');
      expect(seen(plainText(block.children))).toBe(seen(`x ${text}`));
    }),
  );
});

test('a fence outlasts every run of backticks in it', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const blocks = parseMarkdown(`${codeBlock(text)}\n\nafter`);
      expect(blocks.map(({ kind }) => kind)).toEqual(['code', 'paragraph']);
    }),
  );
});
