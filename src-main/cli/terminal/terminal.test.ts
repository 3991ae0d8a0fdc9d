import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { expect, test, vi } from 'vitest';
import { readLine } from './terminal.ts';

const CANARY = 'n0t-to-be-seen';

/** A terminal whose keys a test presses, and whose screen it reads. */
function device() {
  const stream = new PassThrough();
  const modes: boolean[] = [];
  let screen = '';
  const input = Object.assign(stream, {
    setRawMode(raw: boolean) {
      modes.push(raw);
      return input;
    },
  });
  return {
    input: () => input as unknown as ReadStream,
    write: (text: string) => {
      screen += text;
    },
    press: (keys: string) => void stream.write(keys),
    stream,
    modes,
    screen: () => screen,
  };
}

const open = { signal: new AbortController().signal };

test('a secret never shows, and the terminal is as it was afterwards', async () => {
  const terminal = device();
  const reading = readLine(terminal, 'Password: ', { ...open, echo: false });
  for (const key of `${CANARY}\r`) terminal.press(key);
  expect(await reading).toBe(CANARY);
  expect(terminal.screen()).toBe('Password: \r\n');
  expect(terminal.modes).toEqual([true, false]);
  expect(terminal.stream.destroyed).toBe(true);
});

test('what may be seen shows as it is typed and corrected', async () => {
  const terminal = device();
  const reading = readLine(terminal, 'Code: ', { ...open, echo: true });
  for (const key of ['1', '2', '3', '\u007f', '4', '\r']) {
    terminal.press(key);
    await new Promise(setImmediate);
  }
  expect(await reading).toBe('124');
  expect(terminal.screen()).toBe('Code: 123\b\b\b   \b\b\b124\r\n');
});

test('a question that is taken back, or whose terminal is closed, has no answer', async () => {
  const gone = new AbortController();
  const taken = device();
  const reading = readLine(taken, '? ', { signal: gone.signal, echo: false });
  gone.abort();
  expect(await reading).toBeUndefined();
  expect(taken.modes).toEqual([true, false]);
  const late = device();
  expect(await readLine(late, '? ', { signal: gone.signal, echo: false })).toBeUndefined();
  expect(late.screen()).toBe('');
  const hungUp = device();
  const waiting = readLine(hungUp, '? ', { ...open, echo: false });
  hungUp.stream.end();
  expect(await waiting).toBeUndefined();
});

test('Ctrl+C is the signal that the terminal would have sent, heard before the line is missed', async () => {
  const interrupt = vi.fn();
  process.once('SIGINT', interrupt);
  const terminal = device();
  const reading = readLine(terminal, '? ', { ...open, echo: false });
  terminal.press('abc\u0003');
  expect(await reading).toBeUndefined();
  expect(interrupt).toHaveBeenCalledOnce();
});
