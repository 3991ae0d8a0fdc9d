import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Channel, ChannelExit, ExecError } from '../transport/transport.ts';

export interface ChannelCommand {
  readonly program: string;
  /** With `-E logFile` at DEBUG2. */
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
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
export async function openChannel(command: ChannelCommand): Promise<Result<Channel, ExecError>> {
  const child: Child = spawn(command.program, [...command.args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: command.env,
    detached: process.platform !== 'win32',
  });
  const channel = new ChildChannel(child, command.logFile);
  const begin = Date.now();
  for (let wait = 4; ; wait = Math.min(wait * 1.5, 50)) {
    const log = channel.log();
    if (BEGUN.test(log)) {
      channel.handOver();
      return ok(channel);
    }
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
  readonly #exit = Promise.withResolvers<ChannelExit>();
  readonly #handedOver = Promise.withResolvers<void>();
  ended = false;
  readonly #child: Child;
  readonly #logFile: string;
  /** All of it, once the file is gone. */
  #log: string | undefined;

  constructor(child: Child, logFile: string) {
    this.#child = child;
    this.#logFile = logFile;
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
    this.exit = this.#exit.promise;
    child.once('error', () => {
      this.ended = true;
      this.#settle({ code: null });
    });
    child.once('exit', (code, signal) => {
      this.ended = true;
      // What it left running here must not keep the outputs open for ever.
      child.stdin.destroy();
      this.#log = this.log();
      rmSync(logFile, { force: true });
      const said = exitOf(code, signal, this.#log);
      child.once('close', () => void this.#end(said));
    });
  }

  /** What ssh said at DEBUG2, none of it the host's own words. */
  log(): string {
    return this.#log ?? readLog(this.#logFile);
  }

  /** Whoever wanted it has it, from now on: what is not looked at then is not wanted. */
  handOver(): void {
    setImmediate(this.#handedOver.resolve);
  }

  close(): void {
    if (this.#child.pid !== undefined && !this.ended) this.#child.kill('SIGKILL');
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#settle({ code: null });
  }

  async #end(said: ChannelExit): Promise<void> {
    this.stdout.end();
    this.stderr.end();
    await this.#handedOver.promise;
    // As with Node's child processes: what nobody ever looked at does not hold up the end.
    if (!isRead(this.stderr)) this.stderr.resume();
    if (!isRead(this.stdout) && this.stdout.readableLength === 0) this.stdout.resume();
    await Promise.all([over(this.stdout), over(this.stderr)]);
    this.#settle(said);
  }

  #settle(said: ChannelExit): void {
    this.stdout.end();
    this.stderr.end();
    this.#exit.resolve(said);
  }
}

function isRead(output: Readable): boolean {
  return output.readableFlowing !== null || output.listenerCount('readable') > 0;
}

function over(output: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (output.closed) resolve();
    else output.once('close', resolve);
  });
}

/** ssh ends with 255 where it lost the connection; so may a command: the log tells which. */
function exitOf(code: number | null, signal: string | null, log: string): ChannelExit {
  if (signal !== null || code === null) return { code: null };
  return code !== 255 || ENDED.test(log) ? { code } : { code: null };
}
