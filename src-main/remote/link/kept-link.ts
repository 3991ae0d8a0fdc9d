import type { ConnectError, ConnectedHost, LinkState } from '../../shared/remote/connection.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Transport } from '../transport/transport.ts';
import type { Link } from './link.ts';

/** Opens one connection; with `mayAsk` false it fails where a person would be needed. */
export type OpenTransport = (
  signal: AbortSignal,
  mayAsk: boolean,
) => Promise<Result<Transport, ConnectError | 'cancelled'>>;

const DELAYS_MS = [1000, 2000, 4000, 8000, 16_000, 30_000];
/** A connection that lasted so long was a good one: the next loss is the first again. */
const STEADY_MS = 5000;

/** A network that is not there now comes back; whatever else is wrong needs a person. */
const PASSING: readonly (ConnectError | 'cancelled')[] = [
  'host-not-found',
  'unreachable',
  'connection-refused',
  'timed-out',
  // A captive portal answers in the host's place.
  'no-ssh-server',
  'link-lost',
];

export interface KeptLinkOptions {
  readonly host: ResolvedHost;
  readonly connected: ConnectedHost;
  readonly open: OpenTransport;
  readonly delaysMs: readonly number[] | undefined;
}

type Awaited = Result<Transport, ConnectError | 'cancelled'>;

export class KeptLink implements Link {
  readonly host: ResolvedHost;
  readonly connected: ConnectedHost;
  readonly #open: OpenTransport;
  readonly #delaysMs: readonly number[];
  readonly #listeners = new Set<(state: LinkState) => void>();
  readonly #waiting = new Set<(result: Awaited) => void>();
  readonly #closing = new AbortController();
  #state: LinkState = { kind: 'connected' };
  #transport: Transport | undefined;
  #connectedAtMs = 0;
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ host, connected, open, delaysMs = DELAYS_MS }: KeptLinkOptions, first: Transport) {
    this.host = host;
    this.connected = connected;
    this.#open = open;
    this.#delaysMs = delaysMs;
    this.#hold(first);
  }

  get state(): LinkState {
    return this.#state;
  }

  transport(signal: AbortSignal): Promise<Awaited> {
    if (signal.aborted) return Promise.resolve(fail('cancelled', 'Cancelled.'));
    if (this.#transport !== undefined) return Promise.resolve(ok(this.#transport));
    if (this.#state.kind === 'closed') return Promise.resolve(notConnected(this.#state.why));
    const { promise, resolve } = Promise.withResolvers<Awaited>();
    const onAbort = (): void => resolve(fail('cancelled', 'Cancelled.'));
    signal.addEventListener('abort', onAbort);
    this.#waiting.add(resolve);
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort);
      this.#waiting.delete(resolve);
    });
  }

  retryNow(): void {
    // Without a timer an attempt is under way, or none is needed.
    if (this.#timer !== undefined) void this.#try();
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#end('The connection was closed.');
  }

  #hold(transport: Transport): void {
    this.#transport = transport;
    this.#connectedAtMs = performance.now();
    void transport.ended.then(({ why }) => this.#lose(why));
    for (const resolve of this.#waiting) resolve(ok(transport));
    this.#tell({ kind: 'connected' });
  }

  #lose(why: string): void {
    this.#transport = undefined;
    if (this.#state.kind === 'closed') return;
    if (performance.now() - this.#connectedAtMs >= STEADY_MS) this.#attempt = 0;
    this.#schedule(why);
  }

  #schedule(why: string): void {
    const delayMs = this.#delaysMs[Math.min(this.#attempt, this.#delaysMs.length - 1)] ?? 0;
    this.#attempt++;
    this.#timer = setTimeout(() => void this.#try(), delayMs);
    const nextAtMs = Date.now() + delayMs;
    this.#tell({ kind: 'reconnecting', attempt: this.#attempt, nextAtMs, why });
  }

  async #try(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const why = this.#state.kind === 'reconnecting' ? this.#state.why : '';
    this.#tell({ kind: 'reconnecting', attempt: this.#attempt, why });
    const opened = await this.#open(this.#closing.signal, false);
    if (this.#closing.signal.aborted) {
      if (opened.ok) opened.value.close();
    } else if (opened.ok) this.#hold(opened.value);
    else if (PASSING.includes(opened.error.code)) this.#schedule(opened.error.message);
    else this.#end(whyClosed(opened.error));
  }

  #end(why: string): void {
    if (this.#state.kind === 'closed') return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#closing.abort();
    this.#tell({ kind: 'closed', why });
    this.#transport?.close();
    this.#transport = undefined;
    for (const resolve of this.#waiting) resolve(notConnected(why));
  }

  #tell(state: LinkState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

function notConnected(why: string): Result<never, ConnectError> {
  return fail('not-connected', `${why} Connect again.`);
}

function whyClosed({ message }: Failure): string {
  return `The connection was lost, and Stalltrace could not reconnect. ${message}`;
}
