import { closeSync, openSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { isatty, ReadStream } from 'node:tty';
import { type TypedLine, typeKeys } from './keys.ts';

/** Whoever sits there; standard input and output may be pipes meanwhile. */
export interface Terminal {
  write(text: string): void;
  /** One line; undefined where it was ended (Ctrl+D), interrupted (Ctrl+C) or taken back by `signal`. */
  readLine(
    prompt: string,
    options: { readonly echo: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  close(): void;
}

/** The terminal of this process; undefined where it has none. */
export function openTerminal(): Terminal | undefined {
  const opened = openDevice();
  if (opened === undefined) return undefined;
  const { input, output, isOurs } = opened;
  const write = (text: string) => void writeSync(output, text);
  return {
    write,
    readLine: (prompt, options) => readLine({ input, write }, prompt, options),
    close() {
      if (isOurs) closeSync(output);
    },
  };
}

function openDevice(): { input: () => ReadStream; output: number; isOurs: boolean } | undefined {
  if (process.platform === 'win32') {
    if (!isatty(0) || !isatty(2)) return undefined;
    return { input: () => new ReadStream(0), output: 2, isOurs: false };
  }
  try {
    const output = openSync('/dev/tty', 'r+');
    return { input: () => new ReadStream(openSync('/dev/tty', 'r')), output, isOurs: true };
  } catch {
    return undefined;
  }
}

interface Device {
  /** Opened for one line: what reads a terminal keeps a process alive. */
  input(): Pick<ReadStream, 'setRawMode' | 'on' | 'destroy'>;
  write(text: string): void;
}

/** Reads key by key, so that a secret is never shown, not even for a moment. */
export function readLine(
  { input, write }: Device,
  prompt: string,
  { echo, signal }: { readonly echo: boolean; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const stream = input();
  const decoder = new StringDecoder('utf8');
  let line: TypedLine = { text: '', state: 'typing' };
  return new Promise((resolve) => {
    const end = (text: string | undefined) => {
      signal.removeEventListener('abort', onAbort);
      stream.setRawMode(false);
      stream.destroy();
      write('\r\n');
      resolve(text);
    };
    const onAbort = () => end(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('error', () => end(undefined));
    stream.on('end', () => end(undefined));
    stream.on('data', (data: Buffer) => {
      if (line.state !== 'typing') return;
      const before = line.text;
      line = typeKeys(line, decoder.write(data));
      if (echo) write(redraw(before, line.text));
      if (line.state === 'typing') return;
      end(line.state === 'done' ? line.text : undefined);
      // In raw mode the terminal sends a key, no signal. It is heard before what the missing line leads to.
      if (line.state === 'interrupted' && !process.emit('SIGINT', 'SIGINT'))
        process.kill(process.pid, 'SIGINT');
    });
    // Before the prompt: who answers at once, or pastes, is not shown either.
    stream.setRawMode(true);
    write(prompt);
  });
}

/** What turns the shown `before` into `after`. */
function redraw(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const length = [...before].length;
  return `${'\b'.repeat(length)}${' '.repeat(length)}${'\b'.repeat(length)}${after}`;
}
