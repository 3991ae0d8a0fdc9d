import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  codeBlock,
  codeCell,
  codeSpan,
  escapeInline,
  escapeMarkdown,
  escapeParagraph,
  escapeSentence,
} from './escape.ts';
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
  [
    'in Mapper.percent_inside (keyframes_all.py:78): 31 %',
    'in `Mapper.percent_inside (keyframes_all.py:78)`: 31 %',
  ],
  [
    'in main (train.py:9) → <lambda> (<frozen posixpath>:7).',
    'in `main (train.py:9)` → `<lambda> (<frozen posixpath>:7)`.',
  ],
  [
    'Move your_work out of __getitem__, (set pin_memory=True)',
    'Move `your_work` out of `__getitem__`, (set `pin_memory=True`)',
  ],
  [
    'calls of .item(), .cpu() and torch.from_numpy()',
    'calls of `.item()`, `.cpu()` and `torch.from_numpy()`',
  ],
  ['“train.py” of std::vector, e.g. for 1.5 ms', '“`train.py`” of `std::vector`, e.g. for 1.5 ms'],
  ['ask @someone about #12', 'ask `@someone` about `#12`'],
  ['rows[0] and `a`b', '`rows[0]` and `` `a`b ``'],
  ['a < b, 100 %', 'a \\< b, 100 %'],
  // In a cell a pipe would end even code.
  ['/data/<b>|x|', '/data/\\<b\\>\\|x\\|'],
])('names in %j are code', (text, expected) => {
  expect(escapeInline(text)).toBe(expected);
});

test('what a sentence has between backticks is code, and what touches it is none of it', () => {
  expect(escapeSentence('Set `num_workers=4` in a_b, (`x`)')).toBe(
    'Set `num_workers=4` in `a_b`, (`x`)',
  );
  expect(escapeSentence('a_b`x`c_d e_f')).toBe('a\\_b`x`c\\_d `e_f`');
  expect(escapeParagraph('- a_b')).toBe('\\- `a_b`');
  expect(escapeParagraph('99.8 % of a_b')).toBe('99.8 % of `a_b`');
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
        `| a | b | c |\n|---|---|---|\n| ${escapeInline(first)} | ${codeCell(second)} | end |`,
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
      for (const write of [escapeMarkdown, escapeInline]) {
        const [block] = parseMarkdown(`x ${write(text)}`);
        if (block?.kind !== 'paragraph') throw new Error('no paragraph');
        expect(seen(plainText(block.children))).toBe(seen(`x ${text}`));
      }
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
