import { expect, test } from 'vitest';
import { pastedLine } from './pasted-line.ts';

const lineOf = (path: string) =>
  `import ctypes; stalltrace = ctypes.CDLL("${path}").stalltrace_begin; stalltrace.restype = ctypes.c_char_p; print(stalltrace().decode())`;
const isOne = (line: string) => pastedLine.safeParse(line).success;

test('is the agent’s line, whatever the folder is called', () => {
  for (const path of ['/a/lib.so', '/home/zoë/my files/l.so', String.raw`/a\"b\\c\x0a/l.so`])
    expect(isOne(lineOf(path))).toBe(true);
});

test('is nothing that would run something else', () => {
  for (const path of [
    'lib.so',
    '/a"); import os; print("',
    String.raw`/a\\"); import os; ("`,
    '/a\nimport os',
    '/a\u2028b',
    '/a\u202eb',
    String.raw`/a\N{X}`,
  ])
    expect(isOne(lineOf(path)), path).toBe(false);
  expect(isOne(`${lineOf('/a')}; import os`)).toBe(false);
  expect(isOne(`${lineOf('/a')}\nimport os`)).toBe(false);
  expect(isOne(`import os; ${lineOf('/a')}`)).toBe(false);
});
