import { expect, test } from 'vitest';
import { inlineCode } from './inline-code.ts';

test('code between backticks is told from the sentence around it', () => {
  expect(inlineCode('Call `a.b("x")`, not `c`')).toEqual([
    { text: 'Call ', isCode: false },
    { text: 'a.b("x")', isCode: true },
    { text: ', not ', isCode: false },
    { text: 'c', isCode: true },
  ]);
  expect(inlineCode('')).toEqual([]);
});

test('a backtick that is not closed stays', () => {
  expect(inlineCode('a ` b')).toEqual([{ text: 'a ` b', isCode: false }]);
  expect(inlineCode('`` and `x` `')).toEqual([
    { text: '`` and ', isCode: false },
    { text: 'x', isCode: true },
    { text: ' `', isCode: false },
  ]);
});
