import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanText } from '../../shared/text/text.ts';
import type { SshWords } from './failure.ts';

const STDERR_BYTES = 32 * 1024;
const LOG_BYTES = 256 * 1024;
/** Between two looks at what ssh does; only while it connects. */
const LOOK_MS = 50;
/** From a polite end to a plain one. */
const KILL_AFTER_MS = 2000;

export interface MasterOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly logFile: string;
}

/** An `ssh` that connects, and the processes it starts for that: a group of their own, without a terminal. */
export class SshMaster {
  /** Settles once. */
  readonly ended: Promise<void>;
  isOver = false;
  readonly #child: ChildProcessByStdio<null, null, Readable>;
  readonly #logFile: string;
  #stderr = '';
  #killTimer: NodeJS.Timeout | undefined;

  constructor({ program, args, env, folder, logFile }: MasterOptions) {
    this.#logFile = logFile;
    this.#child = spawn(program, [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
      cwd: folder,
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child.stderr.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString('utf8')).slice(-STDERR_BYTES);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const over = () => {
      this.isOver = true;
      clearTimeout(this.#killTimer);
      // A hop's process would otherwise live on while its own host answers.
      this.#signal('SIGKILL');
      resolve();
    };
    this.#child.once('error', (error) => {
      this.#stderr += cleanText(error.message);
      over();
    });
    this.#child.once('exit', over);
  }

  words(): SshWords {
    return { log: tailOf(this.#logFile), stderr: this.#stderr };
  }

  /** Bytes of what it has said so far: it grows while something happens. */
  saidBytes(): number {
    return this.#stderr.length + (statSync(this.#logFile, { throwIfNoEntry: false })?.size ?? 0);
  }

  /** Calls `look` until it says that this is it, or ssh has ended. */
  async until(look: () => boolean): Promise<void> {
    while (!this.isOver && !look()) await Promise.race([delay(LOOK_MS), this.ended]);
  }

  close(): void {
    if (this.isOver) return;
    this.#signal('SIGTERM');
    this.#killTimer ??= setTimeout(() => this.#signal('SIGKILL'), KILL_AFTER_MS);
  }

  /** Without waiting for anything it would still say to the host. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // All of them have ended.
    }
  }
}

function tailOf(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, LOG_BYTES));
    const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, length);
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
