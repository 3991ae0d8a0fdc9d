import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { Channel, ChannelExit, ExecError } from './transport.ts';

export interface ChannelCommand {
  readonly program: string;
  /** With `-E logFile` at DEBUG2. */
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface SystemChannel {
  readonly channel: Channel;
  readonly over: Promise<unknown>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const LONGEST_LOG = 1024 ** 2;
/** Until a command has begun; a host that is silent for longer is about to be given up anyway. */
const BEGIN_TIMEOUT_MS = 30_000;

/** A command over the shared connection, or over one of its own. */
const BEGUN = /mux_client_request_session: master session id|debug1: Sending command:/;
const ENDED = /Received exit status from master|rtype exit-status/;
const NO_MORE =
  /session request failed: Session open refused|administratively prohibited|open failed: (?:connect failed|resource shortage)/;

/** Starts one `ssh` for one command; settles when the host has begun it, or said no. */
export async function openChannel(
  command: ChannelCommand,
): Promise<Result<SystemChannel, ExecError>> {
  const child: Child = spawn(command.program, [...command.args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: command.env,
    detached: process.platform !== 'win32',
  });
  const channel = new ChildChannel(child, command.logFile);
  const begin = Date.now();
  for (let wait = 4; ; wait = Math.min(wait * 1.5, 50)) {
    const log = readLog(command.logFile);
    if (BEGUN.test(log)) return ok({ channel, over: channel.exit });
    if (NO_MORE.test(log)) {
      channel.close();
      return fail('no-more-channels', 'The host allows no more sessions over this connection now.');
    }
    if (channel.ended || Date.now() - begin > BEGIN_TIMEOUT_MS) {
      channel.close();
      return fail(
        'link-lost',
        'The connection to the host is gone.',
        log.trim().split('\n').at(-1),
      );
    }
    await delay(wait);
  }
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-LONGEST_LOG);
  } catch {
    return '';
  }
}

/** An `ssh` as a channel: its outputs end when it ends, or when nobody wants them any more. */
class ChildChannel implements Channel {
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit: Promise<ChannelExit>;
  ended = false;
  readonly #child: Child;

  constructor(child: Child, logFile: string) {
    this.#child = child;
    this.stdin = child.stdin;
    // Writing to a command that has ended is no news: its end is.
    child.stdin.on('error', () => undefined);
    for (const [from, to] of [
      [child.stdout, this.stdout],
      [child.stderr, this.stderr],
    ] as const) {
      from.on('error', () => to.end());
      from.pipe(to);
    }
    const { promise, resolve } = Promise.withResolvers<ChannelExit>();
    this.exit = promise;
    child.once('error', () => this.#end(logFile, () => resolve({ code: null })));
    child.once('exit', (code, signal) => {
      this.ended = true;
      // What it left running here (a ProxyCommand) must not keep the outputs open for ever.
      child.stdin.destroy();
      // As with Node's child processes: what nobody ever looked at does not hold up the end.
      if (this.stderr.readableFlowing === null) this.stderr.resume();
      const said = exitOf(code, signal, readLog(logFile));
      child.once('close', () => this.#end(logFile, () => resolve(said)));
    });
  }

  close(): void {
    if (this.#child.pid !== undefined && !this.ended) this.#child.kill('SIGKILL');
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.stdout.end();
    this.stderr.end();
  }

  #end(logFile: string, settle: () => void): void {
    this.ended = true;
    this.stdout.end();
    this.stderr.end();
    rmSync(logFile, { force: true });
    settle();
  }
}

/** ssh ends with 255 where it lost the connection; so may a command: the log tells which. */
function exitOf(code: number | null, signal: string | null, log: string): ChannelExit {
  if (signal !== null || code === null) return { code: null };
  return code !== 255 || ENDED.test(log) ? { code } : { code: null };
}
