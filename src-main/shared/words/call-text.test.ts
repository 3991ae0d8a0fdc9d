import { expect, test } from 'vitest';
import { hasFailed, returnCodeText, sizeText, threadText } from './call-text.ts';

test.each([
  [{ returnCode: 0 }, undefined, false],
  [{ returnCode: 2 }, '2 (failed)', true],
  [{ returnCode: -1 }, 'not known', false],
  [{}, 'not known', false],
])('the return code of %j reads %s', (call, text, failed) => {
  expect(returnCodeText(call)).toBe(text);
  expect(hasFailed(call)).toBe(failed);
});

test.each([
  [{ threadName: 'python', pid: 7, tid: 9 }, 'python · pid 7 · tid 9'],
  [{ threadName: '', pid: -1, tid: 9 }, 'not known · pid not known · tid 9'],
  [{ threadName: '', pid: -1, tid: -1 }, 'not known'],
])('the thread %j reads %s', (call, text) => {
  expect(threadText(call)).toBe(text);
});

test('a size of nothing is a size', () => {
  expect(sizeText({ bytes: 0 })).toBe('0 B');
  expect(sizeText({ bytes: -1 })).toBe('not known');
});
