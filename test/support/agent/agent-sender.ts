import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { zstdDecompressSync } from 'node:zlib';
import { agentPath } from './agent-run.ts';

/** An answer of `stalltrace-agent send`: its line, and the bytes after it. */
export interface SentAnswer {
  readonly event: string;
  readonly [key: string]: unknown;
  readonly payload: Buffer;
}

/** `stalltrace-agent send --file PATH`, as whoever brings a file back talks to it. */
export interface Sender {
  readonly process: ChildProcess;
  ask(...lines: readonly string[]): void;
  /** The next answer; undefined at the end of its output. */
  next(): Promise<SentAnswer | undefined>;
  /** Ends its standard input; its exit code. */
  end(): Promise<number | null>;
  stderr(): string;
}

export function startSender(path: string): Sender {
  const child = spawn(agentPath, ['send', '--file', path], { stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (data: string) => (stderr += data));
  const closed = once(child, 'close');
  const output = child.stdout[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  /** False at the end. */
  async function more(): Promise<boolean> {
    const { value, done } = (await output.next()) as IteratorResult<Buffer>;
    if (done) return false;
    held = Buffer.concat([held, value]);
    return true;
  }
  async function take(bytes: number): Promise<Buffer> {
    while (held.length < bytes) if (!(await more())) throw new Error('cut off');
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  }
  return {
    process: child,
    ask: (...lines) => void child.stdin.write(lines.map((line) => `${line}\n`).join('')),
    async next() {
      while (!held.includes(10)) if (!(await more())) return undefined;
      const line = (await take(held.indexOf(10) + 1)).toString('utf8');
      const answer = JSON.parse(line) as Record<string, unknown> & { event: string };
      const payload = await take(answer.event === 'frame' ? Number(answer.bytes) : 0);
      return { ...answer, payload };
    },
    async end() {
      child.stdin.end();
      child.stdout.resume();
      await closed;
      return child.exitCode;
    },
    stderr: () => stderr,
  };
}

/** The file's own bytes of a frame, its hash checked. */
export function unpackFrame(frame: SentAnswer): Buffer {
  const { encoding, length, sha256, payload } = frame;
  const raw = encoding === 'zstd' ? zstdDecompressSync(payload) : payload;
  if (raw.length !== length) throw new Error(`${raw.length} bytes instead of ${String(length)}`);
  if (sha256Of(raw) !== sha256) throw new Error('another hash');
  return raw;
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
