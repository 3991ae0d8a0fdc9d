import { setTimeout } from 'node:timers/promises';
import type { ClientChannel } from 'ssh2';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Channel, ExecError, Transport, TransportEnd } from '../transport/transport.ts';
import { type Ssh2Channel, wrapChannel } from './ssh2-channel.ts';
import type { Ssh2Hop } from './ssh2-hop.ts';

const JUST_ENDED_MS = 1000;
const RETRY_MS = [20, 50, 100, 200, 400];

/** The chain of connections to a host, the last of which is the host's own, as one. */
export class Ssh2Transport implements Transport {
  readonly kind = 'ssh2';
  readonly facts: Transport['facts'];
  readonly ended: Promise<TransportEnd>;
  readonly #hops: readonly Ssh2Hop[];
  readonly #host: Ssh2Hop;
  readonly #channels = new Set<Ssh2Channel>();
  readonly #opening = new Set<(why: string) => void>();
  readonly #resolveEnded: (end: TransportEnd) => void;
  #end: TransportEnd | undefined;
  #endedAtMs = -Infinity;

  constructor(jumps: readonly Ssh2Hop[], host: Ssh2Hop) {
    this.#hops = [...jumps, host];
    this.#host = host;
    this.facts = {
      hostKey: host.hostKey,
      signedInWith: host.signedInWith,
      via: jumps.map(({ address }) => address),
    };
    const { promise, resolve } = Promise.withResolvers<TransportEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    // The first to end is the cause; what it carries ends with it.
    for (const hop of this.#hops) void hop.ended.then((why) => this.#over({ why, wanted: false }));
  }

  async exec(command: string): Promise<Result<Channel, ExecError>> {
    for (const pauseMs of [...RETRY_MS, undefined]) {
      const opened = await this.#exec(command);
      if (opened.ok || opened.error.code !== 'no-more-channels') return opened;
      // The server frees a session an instant after it said that it has ended.
      const justEnded = performance.now() - this.#endedAtMs < JUST_ENDED_MS;
      if (pauseMs === undefined || !justEnded) return opened;
      await setTimeout(pauseMs);
    }
    throw new Error('the last try returns');
  }

  #exec(command: string): Promise<Result<Channel, ExecError>> {
    return new Promise((resolve) => {
      if (this.#end !== undefined) {
        resolve(fail('link-lost', this.#end.why));
        return;
      }
      const lost = (why: string): void => resolve(fail('link-lost', why));
      this.#opening.add(lost);
      try {
        this.#host.client.exec(command, (error, source) => {
          if (error === undefined) {
            this.#opening.delete(lost);
            resolve(this.#opened(source));
          }
          // ssh2 fails what was to be opened just before it says that the connection is over.
          else
            setImmediate(() => {
              this.#opening.delete(lost);
              resolve(this.#refused(error));
            });
        });
      } catch {
        this.#opening.delete(lost);
        // ssh2 throws where its socket has ended and says so an instant later.
        lost('The connection has just ended.');
      }
    });
  }

  close(): void {
    this.#over({ why: 'Closed by Stalltrace.', wanted: true });
  }

  #refused(error: Error): Result<never, ExecError> {
    if (this.#end !== undefined) return fail('link-lost', this.#end.why);
    return fail(
      'no-more-channels',
      `${this.#host.address} opens no further session now (MaxSessions): close others of this connection.`,
      cleanText(error.message, 200),
    );
  }

  #opened(source: ClientChannel): Result<Channel, ExecError> {
    const wrapped = wrapChannel(source);
    if (this.#end !== undefined) {
      wrapped.channel.close();
      return fail('link-lost', this.#end.why);
    }
    this.#channels.add(wrapped);
    void wrapped.channel.exit.then(() => {
      this.#channels.delete(wrapped);
      this.#endedAtMs = performance.now();
    });
    return ok(wrapped.channel);
  }

  #over(end: TransportEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const lost of this.#opening) lost(end.why);
    for (const { lose } of this.#channels) lose();
    // The innermost first, so that its goodbye still travels over the others.
    for (const hop of this.#hops.toReversed()) hop.close();
    this.#resolveEnded(end);
  }
}
