import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { root } from '../built.ts';
import { cudart, standIn } from './agent-run.ts';

/** A program that runs before anybody captures it, and does one line after the other: `jobs/notebook.py`. */
export class Notebook {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(process: ChildProcess) {
    this.process = process;
    if (process.stdout === null) throw new Error('it has no output');
    this.#lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Does the line; what that printed. */
  async run(line: string): Promise<string> {
    this.process.stdin?.write(`${line}\n`);
    const said: string[] = [];
    for (;;) {
      const next = await this.#lines.next();
      if (next.done) throw new Error(`it ended while it did “${line}”`);
      if (next.value === 'done') return said.join('\n');
      said.push(next.value);
    }
  }

  /** To its end. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.stdin?.end();
    await exit;
  }
}

/** Calls itself CPython 3.14: `jobs/published.c`, ready for its first line; ended with the test. */
export async function startPublished(
  env: Readonly<Record<string, string>> = {},
): Promise<Notebook> {
  return ready(
    spawn(standIn('published'), [cudart], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    }),
    'calls 1',
  );
}

interface NotebookOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The program and arguments that start it. */
  readonly through?: readonly string[];
}

/** Ready for its first line; ended with the test. */
export async function startNotebook(options: NotebookOptions = {}): Promise<Notebook> {
  const script = join(root, 'test/agent/jobs/notebook.py');
  const words = [
    '/usr/bin/python3',
    script,
    '--library',
    cudart,
    ...(options.args ?? ['--loaded']),
  ];
  const [program = '', ...args] = [...(options.through ?? []), ...words];
  return ready(
    spawn(program, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...options.env },
    }),
    'pass',
  );
}

async function ready(process: ChildProcess, line: string): Promise<Notebook> {
  const notebook = new Notebook(process);
  onTestFinished(() => {
    process.kill('SIGKILL');
  });
  await notebook.run(line);
  return notebook;
}
