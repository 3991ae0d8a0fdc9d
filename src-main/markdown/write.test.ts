import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, type Inline, parseMarkdown } from './tree.ts';
import { writeMarkdown } from './write.ts';

const rewritten = (source: string) => writeMarkdown(parseMarkdown(source));

test.each([
  ['a **b** *c* ~~d~~ `e`', 'a **b** *c* ~~d~~ `e`'],
  ['- a\n- [x] b\n  1. c', '- a\n- [x] b\n  \n  1. c'],
  ['> q', '> q'],
  ['```py\nx = 1\n```', '```py\nx = 1\n```'],
  ['| a | b |\n|--|--:|\n| 1 | 2 |', '| a | b |\n| :-- | --: |\n| 1 | 2 |'],
  ['[docs](https://docs.test/a?b=1&c)', '[docs](<https://docs.test/a?b=1&amp;c>)'],
  ['see https://docs.test/a#12, @bob', 'see <https://docs.test/a#12>, @<!-- -->bob'],
  ['<https://docs.test/x>', '<https://docs.test/x>'],
  ['a\nb', 'a\nb'],
])('%j keeps its form', (source, expected) => {
  expect(rewritten(source)).toBe(expected);
});

test.each([
  ['# Heading', '**Heading**'],
  ['@alice fixes #12', '@<!-- -->alice fixes #<!-- -->12'],
  ['\\@alice', '@<!-- -->alice'],
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
  ['![p](https://elsewhere.test/p.png)', '\\[picture: p `https://elsewhere.test/p.png`\\]'],
  ['[l](javascript:alert(1))', 'l (`javascript:alert(1)`)'],
  [
    'https://github.test@evil.test/',
    '[https:<!-- -->//github.test@<!-- -->evil.test/](<https://github.test@evil.test/>)',
  ],
  ['```mermaid\ngantt\n```', '```\ngantt\n```'],
  ['```\nopen', '```\nopen\n```'],
  ['<details>\n<summary>s</summary>\n\nin', '**s**\n\nin'],
  ['a\n\\===', 'a\n\\==='],
])('%j acts on nothing', (source, expected) => {
  expect(rewritten(source)).toBe(expected);
});

function inlinesIn(node: unknown): Inline[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(inlinesIn);
  return 'kind' in node ? [node as Inline, ...below] : below;
}

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '*',
      '**',
      '_',
      '`',
      '```',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '|',
      '|-|-|\n',
      '# ',
      '---',
      '===',
    ],
    ...[
      '<b>',
      '<!--',
      '-->',
      '</details>',
      '<details>\n<summary>s</summary>\n\n',
      '&lt;img src=x&gt;',
    ],
    ...[
      '![a](b)',
      '[a](https://b.test)',
      '[x]: https://c.test\n',
      '[x]',
      '\\',
      '    ',
      '~~~',
      '\t',
    ],
  ),
  fc.string({ maxLength: 6 }),
);
const hostile = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

test('any note, quoted, stays in its quote, without HTML, pictures and other than web links', () => {
  fc.assert(
    fc.property(hostile, (source) => {
      const quoted = rewritten(source)
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
      const blocks: readonly Block[] = parseMarkdown(`before\n\n${quoted}\n\nafter`);
      const kinds = blocks.map(({ kind }) => kind);
      expect([kinds[0], kinds.at(-1)]).toEqual(['paragraph', 'paragraph']);
      expect(kinds.slice(1, -1).every((kind) => kind === 'quote')).toBe(true);
      for (const node of inlinesIn(blocks)) {
        if (node.kind === 'html') expect(node.text.trim()).toBe('<!-- -->');
        expect(node.kind).not.toBe('image');
        if (node.kind === 'link') expect(node.href).toMatch(/^(https?:|mailto:)/i);
      }
    }),
    { numRuns: 2_000 },
  );
});
