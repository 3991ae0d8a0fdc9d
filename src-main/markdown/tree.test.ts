import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, parseMarkdown, plainText } from './tree.ts';

function inlinesOf(source: string) {
  const [block] = parseMarkdown(source);
  if (block === undefined || !('children' in block)) throw new Error('no inlines');
  return block.children;
}

test('a table keeps its cells, pipes and alignment', () => {
  expect(parseMarkdown('| a | b |\n|--|--:|\n| `x\\|y` | z\\|q |')).toEqual([
    {
      kind: 'table',
      align: [null, 'right'],
      header: [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]],
      rows: [[[{ kind: 'code', text: 'x|y' }], [{ kind: 'text', text: 'z|q' }]]],
    },
  ]);
});

test('lists keep their numbers and boxes', () => {
  expect(parseMarkdown('3. z\n4. y')).toMatchObject([{ kind: 'list', start: 3 }]);
  expect(parseMarkdown('- [x] a\n- [ ] b')).toMatchObject([
    { kind: 'list', items: [{ checked: true }, { checked: false }] },
  ]);
});

test('an image is its words and its address, never a picture', () => {
  expect(inlinesOf('![see](https://elsewhere.test/pixel.png)')).toEqual([
    {
      kind: 'image',
      href: 'https://elsewhere.test/pixel.png',
      children: [{ kind: 'text', text: 'see' }],
    },
  ]);
});

test('HTML stays to be read as source', () => {
  expect(parseMarkdown('<img src=x onerror=alert(1)>\n')).toEqual([
    { kind: 'html', text: '<img src=x onerror=alert(1)>' },
  ]);
  expect(inlinesOf('a <b onclick=x>c</b> <!-- hidden -->')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'html', text: '<b onclick=x>' },
    { kind: 'text', text: 'c' },
    { kind: 'html', text: '</b>' },
    { kind: 'text', text: ' ' },
    { kind: 'html', text: '<!-- hidden -->' },
  ]);
});

test('the empty comment is nothing, references are characters, a line break is one', () => {
  expect(inlinesOf('@<!-- -->x &amp; &#60;&lt; &nosuch;\nnext<br>last')).toEqual([
    { kind: 'text', text: '@' },
    { kind: 'text', text: 'x & << &nosuch;' },
    { kind: 'break' },
    { kind: 'text', text: 'next' },
    { kind: 'break' },
    { kind: 'text', text: 'last' },
  ]);
});

test('what stands between details is folded, also where they do not end', () => {
  const folded = { kind: 'details', summary: 'Stack', children: [{ kind: 'list' }] };
  expect(
    parseMarkdown('<details>\n<summary>Stack</summary>\n\n- a\n\n</details>\n\nb'),
  ).toMatchObject([folded, { kind: 'paragraph' }]);
  expect(parseMarkdown('<details>\n<summary>Stack</summary>\n\n- a')).toMatchObject([folded]);
  expect(parseMarkdown('<details open>\n\n- a')).toMatchObject([{ kind: 'html' }, {}]);
});

test('invisible characters are shown', () => {
  expect(inlinesOf('a\u202eb')).toEqual([{ kind: 'text', text: 'a\ufffdb' }]);
});

test.each([
  ['quotes', '>'.repeat(50_000)],
  ['lists in one line', `${'- '.repeat(50_000)}*`],
  ['numbers in one line', `${'1. '.repeat(33_000)}*`],
  ['emphasis', 'a_'.repeat(50_000)],
  ['brackets', '['.repeat(100_000)],
  ['images', '![]('.repeat(25_000)],
  ['nested lists', Array.from({ length: 300 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')],
])('100,000 characters of %s are read in bounded time', (_name, source) => {
  // What takes more than linear time here runs into the test's time limit.
  expect(depthOf(parseMarkdown(source))).toBeLessThan(60);
});

test('lists and quotes begun on one line stay as they were written where nobody reads them', () => {
  const source = `a\n\n${' > -\t1. '.repeat(30)}b`;
  const text = source.replaceAll('\t', '␉');
  expect(parseMarkdown(source)).toEqual([{ kind: 'html', text }]);
  expect(parseMarkdown('> - 1. a')).toMatchObject([{ kind: 'quote' }]);
});

function depthOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const below = Object.values(node).map(depthOf);
  const isNode = 'kind' in node;
  return Math.max(0, ...below) + (isNode ? 1 : 0);
}

test('any text becomes a tree of known nodes', () => {
  const piece = fc.oneof(
    fc.constantFrom('*', '_', '`', '```\n', '> ', '- ', '|', '\n', '<b>', '<details>', '&lt;', '#'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const block of parseMarkdown(pieces.join('')))
        expect(typeof textOf(block)).toBe('string');
    }),
  );
});

function textOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'line':
    case 'heading':
      return plainText(block.children);
    case 'code':
    case 'html':
      return block.text;
    case 'quote':
    case 'details':
      return block.children.map(textOf).join('\n');
    case 'list':
      return block.items.flatMap(({ children }) => children.map(textOf)).join('\n');
    case 'table':
      return [block.header, ...block.rows].flat().map(plainText).join(' ');
    case 'rule':
      return '';
  }
}
