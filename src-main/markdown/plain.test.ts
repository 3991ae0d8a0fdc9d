import { expect, test } from 'vitest';
import { plainLines } from './plain.ts';

test.each([
  ['The **copy** waits for `worker 3`', ['The copy waits for worker 3']],
  ['# Found it\nmore\nand *more*', ['Found it', 'more', 'and more']],
  ['- one\n- [two](https://example.org)', ['one', 'two']],
  ['> quoted\n\n```sh\nls -l\n```', ['quoted', 'ls -l']],
  ['| a | b |\n|---|---|\n| **c** | d |', ['a · b', 'c · d']],
  ['<img src=x>', ['<img src=x>']],
  ['\n \n---\n', []],
])('%j', (source, lines) => {
  expect(plainLines(source)).toEqual(lines);
});
