import { expect, test } from 'vitest';
import { fakeFlame, native, python } from '../../timeline/testing/fake-flame.ts';
import { foldedStacks } from './folded-stacks.ts';

test('a line for each stack with weight of its own, and nothing that ends one too early', () => {
  const main = python('main');
  const tree = fakeFlame([
    [[main, python('a;b\nc')], 60],
    [[main, native('copy')], 40],
    [[main], 5],
  ]);
  const lines = foldedStacks(tree);
  expect(lines.join('\n').match(/;/g)).toHaveLength(2);
  expect(lines.map((line) => line.split(' ').at(-1)).toSorted()).toEqual(['40', '5', '60']);
  for (const line of lines) expect(line).not.toContain('\n');
  expect(lines.find((line) => line.endsWith(' 60'))).toMatch(/^main.*;a:b.c/);
});

test('what the GPU ran is marked, and its name readable', () => {
  const kernel = {
    symbol: '_Z6reduce',
    demangled: 'void reduce<4>(int)',
    language: 'gpu',
  } as const;
  const copied = { symbol: 'Copy H2D', language: 'gpu' } as const;
  const lines = foldedStacks(
    fakeFlame([
      [[python('main'), kernel], 60],
      [[python('main'), copied], 4],
    ]),
  );
  expect(lines).toEqual([
    'main (train.py);void reduce<4>(int) (GPU) 60',
    'main (train.py);Copy H2D (GPU) 4',
  ]);
});
