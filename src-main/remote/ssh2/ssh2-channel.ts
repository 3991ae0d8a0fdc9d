import { Readable, Writable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { cleanText } from '../../shared/text/text.ts';
import type { Channel, ChannelExit } from '../transport/transport.ts';

/** Kept here of one output; ssh2 holds up to its window of 2 MiB more, then the host waits. */
const BUFFERED_BYTES = 256 * 1024;

export interface Ssh2Channel {
  readonly channel: Channel;
  /** The link broke: everything settles, now. */
  lose(): void;
}

/**
 * A command's streams as Node knows them. ssh2's own never call back for what is written after the
 * host closed them, can't be destroyed, and end with the link as if they were complete.
 */
export function wrapChannel(source: ClientChannel): Ssh2Channel {
  const stdout = new CommandOutput(source);
  const stderr = new CommandOutput(source.stderr);
  const stdin = new CommandInput(source);
  const { promise: exit, resolve } = Promise.withResolvers<ChannelExit>();
  let said: ChannelExit = { code: null };
  source.on('exit', (code: number | null, signal?: string) => {
    said = { code, ...(signal === undefined ? {} : { signal: cleanText(signal, 40) }) };
    // Nobody reads what would still be written.
    stdin.destroy();
  });
  source.on('error', () => lose());
  const outputs = Promise.all([stdout.over, stderr.over]);
  source.on('close', () => {
    stdin.destroy();
    // As with Node's child processes: what nobody ever looked at does not hold up the end.
    if (!stderr.isRead) stderr.resume();
    if (!stdout.isRead && stdout.readableLength === 0) stdout.resume();
    void outputs.then(() => resolve(said));
  });

  function lose(): void {
    resolve({ code: null });
    stdin.destroy();
    stdout.endNow();
    stderr.endNow();
    // Whatever still comes is thrown away.
    source.resume();
    source.stderr.resume();
  }
  function close(): void {
    lose();
    try {
      source.close();
    } catch {
      // The connection is over already, and with it the command's channel.
    }
  }
  return { channel: { stdin, stdout, stderr, exit, close }, lose };
}

/** What one of ssh2's outputs holds, handed on as it is read. */
class CommandOutput extends Readable {
  readonly #source: Readable;
  #over = false;

  constructor(source: Readable) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#source = source;
    source.on('data', (chunk: Buffer) => {
      if (!this.#over && !this.destroyed && !this.push(chunk)) source.pause();
    });
    source.on('end', () => this.endNow());
  }

  /** Nothing more comes: whoever reads sees the end after what is here. */
  endNow(): void {
    if (this.#over || this.destroyed) return;
    this.#over = true;
    this.push(null);
  }

  get isRead(): boolean {
    return this.readableFlowing !== null || this.listenerCount('readable') > 0;
  }

  get over(): Promise<void> {
    return new Promise((resolve) => this.once('close', resolve));
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // Unread data would stop the channel's other output too: they share one window.
    this.#source.resume();
    done(error);
  }
}

/** What a command reads, as far as the host takes it. */
class CommandInput extends Writable {
  readonly #source: ClientChannel;
  #written: ((error?: Error) => void) | undefined;

  constructor(source: ClientChannel) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#source = source;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#written = done;
    try {
      // Called back when it fitted into the host's window: after the command's end never.
      this.#source.write(chunk, () => this.#settle());
    } catch {
      // The connection is over: the command's end says so, writing needs no error of its own.
      this.destroy();
    }
  }

  override _final(done: () => void): void {
    try {
      this.#source.end();
    } catch {
      // As above.
    }
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error);
    this.#settle(new Error('The command does not read any more.'));
  }

  #settle(error?: Error): void {
    const written = this.#written;
    this.#written = undefined;
    written?.(error);
  }
}
