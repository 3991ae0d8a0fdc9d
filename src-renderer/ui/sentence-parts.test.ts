import { expect, test } from 'vitest';
import { sentenceParts } from './sentence-parts.ts';

const told = (sentence: string) =>
  sentenceParts(sentence).map(({ kind, text, isWhole }) => [
    `${kind}${isWhole ? ', whole' : ''}`,
    text,
  ]);

test('an option does not break behind its hyphens, in backticks or without', () => {
  expect(told('Record with --trace=cuda,nvtx, not `nsys profile`.')).toEqual([
    ['text', 'Record with '],
    ['text, whole', '--trace=cuda,nvtx'],
    ['text', ', not '],
    ['code, whole', 'nsys profile'],
    ['text', '.'],
  ]);
  expect(told('--json says it')).toEqual([
    ['text, whole', '--json'],
    ['text', ' says it'],
  ]);
});

test('long code may break, and a dash is no option', () => {
  const long = 'stalltrace capture HOST --all -- python train.py';
  expect(told(`Try \`${long}\``)[1]).toEqual(['code', long]);
  expect(told('one -- two')).toEqual([['text', 'one -- two']]);
});
