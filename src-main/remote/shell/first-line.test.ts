import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { awaitFirstLine, MOST_ANSWER_BYTES } from './first-line.ts';

const MARK = 'begin';

/** What came of these pieces, and what is left to read of them. */
async function firstOf(...pieces: readonly string[]) {
  const stdout = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const { kind } = await awaitFirstLine(stdout, MARK);
  let left = '';
  if (kind === 'line') for await (const piece of stdout) left += String(piece);
  return { kind, left };
}

test('the first line may be as long as the longest answer, and comes in pieces', async () => {
  const answer = `{"processes":"${'x'.repeat(MOST_ANSWER_BYTES - 100)}"}`;
  const pieces = answer.match(/.{1,65536}/gs) ?? [];
  const { kind, left } = await firstOf(`motd\n${MARK}`, ...pieces, '\nnext\n');
  expect(kind).toBe('line');
  expect(left === `${answer}\nnext\n`).toBe(true);
});

test('one that does not end is too long', async () => {
  const piece = 'x'.repeat(65536);
  const many = Array.from({ length: MOST_ANSWER_BYTES / piece.length + 1 }, () => piece);
  expect((await firstOf(`${MARK}{"a":"`, ...many)).kind).toBe('too-long');
});

test('lines that are no JSON object are passed over, up to a limit', async () => {
  expect(await firstOf(MARK, 'Last login: today\n[1]\n{"a":1}\n')).toEqual({
    kind: 'line',
    left: '{"a":1}\n',
  });
  const noise = 'no object\n'.repeat(1000);
  expect((await firstOf(MARK, ...Array(120).fill(noise), '{}\n')).kind).toBe('no-line');
});
