import { expect, test } from 'vitest';
import { exportFile } from './export.ts';

const parse = (args: readonly string[]) => exportFile.parse(args, '/work');

test('what is not said is private, with notes, light and 1280 px wide', () => {
  expect(parse(['a.db', '--markdown', 'a.md'])).toEqual({
    kind: 'options',
    options: {
      file: '/work/a.db',
      markdown: '/work/a.md',
      force: false,
      notes: true,
      long: false,
      showPrivate: false,
      theme: 'light',
      widthPx: 1280,
    },
  });
});

test('several outputs, one of them to stdout, and all that can be said', () => {
  const args = ['--svg', '-', 'a.db', '--markdown', 'b', '--stalltrace=c', '--force', '--notes'];
  const more = ['--slowest', 'cudaMemcpyAsync', '--from', '1.5s', '--to=2s', '--show-private'];
  expect(parse([...args, ...more, '--theme', 'dark', '--width', '320'])).toEqual({
    kind: 'options',
    options: {
      file: '/work/a.db',
      markdown: '/work/b',
      svg: '-',
      stalltrace: '/work/c',
      force: true,
      slowest: 'cudaMemcpyAsync',
      fromNs: 1_500_000_000,
      toNs: 2_000_000_000,
      notes: true,
      long: false,
      showPrivate: true,
      theme: 'dark',
      widthPx: 320,
    },
  });
});

test.each([
  [[]],
  [['a.db']],
  [['', '--svg', 'x']],
  [['a.db', 'b.db', '--svg', 'x']],
  [['a.db', '--svg', '']],
  [['a.db', '--svg']],
  [['a.db', '--svg', '-', '--markdown', '-']],
  [['a.db', '--svg', 'x', '--markdown', 'x']],
  [['a.db', '--stalltrace', '-']],
  [['a.db', '--perfetto', '-']],
  [['a.db', '--perfetto', 'x', '--svg', 'x']],
  [['a.db', '--stalltrace', 'x', '--no-notes']],
  [['a.db', '--svg', 'x', '--width', '100']],
  [['a.db', '--svg', 'x', '--width', '1e3']],
  [['a.db', '--svg', 'x', '--theme', 'blue']],
  [['a.db', '--svg', 'x', '--call', '-1']],
  [['a.db', '--svg', 'x', '--call', '1', '--slowest', 'y']],
  [['a.db', '--svg', 'x', '--from', '12']],
  [['a.db', '--svg', 'x', '--from', '2s', '--to', '2000ms']],
  [['a.db', '--png', 'x']],
])('%j says what is wrong', (args) => {
  expect(parse(args)).toEqual({ kind: 'wrong', sentence: expect.stringMatching(/./) });
});

test('help is asked for, whatever else is said', () => {
  expect(parse(['--help', '--width', 'x'])).toEqual({ kind: 'help' });
});
