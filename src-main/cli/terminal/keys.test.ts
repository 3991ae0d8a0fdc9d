import { expect, test } from 'vitest';
import { type TypedLine, typeKeys } from './keys.ts';

function typed(...chunks: readonly string[]): TypedLine {
  let line: TypedLine = { text: '', state: 'typing' };
  for (const chunk of chunks) if (line.state === 'typing') line = typeKeys(line, chunk);
  return line;
}

test('a line ends with Enter, however it comes', () => {
  expect(typed('pass', 'word\r')).toEqual({ text: 'password', state: 'done' });
  expect(typed('ü🔑\n')).toEqual({ text: 'ü🔑', state: 'done' });
  expect(typed('\r')).toEqual({ text: '', state: 'done' });
});

test('what is taken back is gone', () => {
  expect(typed('ab🔑\u007f\u007fc\r').text).toBe('ac');
  expect(typed('\b\bx\r').text).toBe('x');
  expect(typed('wrong\u0015right\r').text).toBe('right');
  expect(typed('two words\u0017\r').text).toBe('two ');
});

test('arrows, function keys and pasted brackets are no letters', () => {
  expect(typed('a\u001b[Ab\u001bOPc\u001b[200~d\u001b[201~\u001b[1;5C\r').text).toBe('abcd');
});

test('Ctrl+C interrupts, Ctrl+D ends an empty line only', () => {
  expect(typed('secret\u0003')).toEqual({ text: '', state: 'interrupted' });
  expect(typed('\u0004').state).toBe('ended');
  expect(typed('a\u0004b\r')).toEqual({ text: 'ab', state: 'done' });
});

test('nothing endless is kept, and nothing after the end', () => {
  expect(typed('x'.repeat(10_000), '\r').text).toHaveLength(4096);
  expect(typed('one\rtwo\r').text).toBe('one');
});
