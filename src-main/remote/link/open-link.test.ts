import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectError, LinkState } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import type { Link } from './link.ts';
import { openLink } from './open-link.ts';

const host: ResolvedHost = {
  name: 'gpu',
  target: { name: 'gpu' },
  hostName: '203.0.113.7',
  port: 2222,
  user: 'me',
  keyName: '203.0.113.7',
  identityFiles: [],
  identitiesOnly: false,
  jumps: [],
  strictHostKeyChecking: 'ask',
  knownHostsFiles: [],
  connectTimeoutMs: 1000,
};

class MemoryTransport implements Transport {
  readonly kind = 'ssh2';
  readonly facts = { signedInWith: 'password', via: [] };
  readonly #end = Promise.withResolvers<TransportEnd>();
  readonly ended = this.#end.promise;
  closed = false;

  exec() {
    return Promise.resolve(fail('link-lost', 'Nothing runs here.'));
  }
  lose(why: string): void {
    this.#end.resolve({ why, wanted: false });
  }
  close(): void {
    this.closed = true;
    this.#end.resolve({ why: 'Closed.', wanted: true });
  }
}

type Opened = Result<Transport, ConnectError | 'cancelled'>;

/** A link whose attempts to connect end as the test says. */
async function linkOver(...outcomes: (Opened | Promise<Opened>)[]) {
  const asked: boolean[] = [];
  const signals: AbortSignal[] = [];
  const states: LinkState[] = [];
  const opened = await openLink({
    connection: 'c',
    label: 'my host',
    host,
    signal: new AbortController().signal,
    open: async (signal, mayAsk) => {
      asked.push(mayAsk);
      signals.push(signal);
      return outcomes.shift() ?? fail('unreachable', 'Still gone.');
    },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  const link: Link = opened.value;
  link.onState((state) => states.push(state));
  return { link, states, asked, signals };
}

const forever = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a link', () => {
  it('says who it is connected to', async () => {
    const { link } = await linkOver(ok(new MemoryTransport()));
    expect(link.connected).toEqual({
      connection: 'c',
      label: 'my host',
      user: 'me',
      address: 'me@203.0.113.7:2222',
      via: [],
      transport: 'ssh2',
      signedInWith: 'password',
    });
    expect(link.state).toEqual({ kind: 'connected' });
  });

  it('is not there where the first connection fails', async () => {
    const signal = new AbortController().signal;
    const open = () => Promise.resolve(fail('sign-in-failed', 'No.'));
    const opened = await openLink({ connection: 'c', label: '', host, signal, open });
    expect(opened).toEqual(fail('sign-in-failed', 'No.'));
  });

  it('connects anew after 1, 2, 4 … 30 s, without asking anybody', async () => {
    const first = new MemoryTransport();
    const { link, states, asked } = await linkOver(ok(first));
    const starts: number[] = [];
    link.onState((state) => {
      if (state.kind === 'reconnecting' && state.nextAtMs === undefined) starts.push(Date.now());
    });
    first.lose('The cable.');
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual([
      { kind: 'reconnecting', attempt: 1, nextAtMs: 1000, why: 'The cable.' },
    ]);
    await vi.advanceTimersByTimeAsync(130_000);
    expect(starts.map((time) => time / 1000)).toEqual([1, 3, 7, 15, 31, 61, 91, 121]);
    expect(states.at(-1)).toMatchObject({ attempt: 9, nextAtMs: 151_000, why: 'Still gone.' });
    expect(asked.slice(1)).toEqual(Array.from({ length: 8 }, () => false));
    link.close();
  });

  it('hands the next connection to whoever waits for it', async () => {
    const [first, second] = [new MemoryTransport(), new MemoryTransport()];
    const { link, states } = await linkOver(ok(first), ok(second));
    expect(await link.transport(forever)).toEqual(ok(first));
    first.lose('Gone.');
    await vi.advanceTimersByTimeAsync(0);
    const impatient = new AbortController();
    const cancelled = link.transport(impatient.signal);
    const waiting = link.transport(forever);
    impatient.abort();
    expect(await cancelled).toMatchObject({ error: { code: 'cancelled' } });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toEqual(ok(second));
    expect(states.at(-1)).toEqual({ kind: 'connected' });
    expect(first.closed).toBe(false);
  });

  it('tries at once when it is told to, and once only', async () => {
    const first = new MemoryTransport();
    const { link, asked, states } = await linkOver(ok(first), fail('timed-out', 'Late.'));
    link.retryNow();
    first.lose('Gone.');
    await vi.advanceTimersByTimeAsync(10);
    link.retryNow();
    link.retryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(2);
    expect(states.at(-1)).toMatchObject({ attempt: 2, nextAtMs: 2010, why: 'Late.' });
    link.close();
  });

  it('counts anew after a connection that lasted, not after one that did not', async () => {
    const transports = [0, 1, 2].map(() => new MemoryTransport());
    const { link, states } = await linkOver(...transports.map((transport) => ok(transport)));
    transports[0]?.lose('Gone.');
    await vi.advanceTimersByTimeAsync(1000);
    transports[1]?.lose('Gone again.');
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toMatchObject({ attempt: 2 });
    await vi.advanceTimersByTimeAsync(10_000);
    transports[2]?.lose('Gone once more.');
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toMatchObject({ attempt: 1 });
    link.close();
  });

  for (const code of ['host-key-changed', 'sign-in-failed', 'key-unreadable'] as const)
    it(`ends where a person is needed: ${code}`, async () => {
      const first = new MemoryTransport();
      const { link, states } = await linkOver(ok(first), fail(code, 'Ask somebody.'));
      first.lose('Gone.');
      await vi.advanceTimersByTimeAsync(0);
      const waiting = link.transport(forever);
      await vi.advanceTimersByTimeAsync(60_000);
      const why = `The connection was lost, and Stalltrace could not reconnect. Ask somebody.`;
      expect(states.at(-1)).toEqual({ kind: 'closed', why });
      expect(await waiting).toEqual(fail('not-connected', `${why} Connect again.`));
      expect(await link.transport(forever)).toEqual(fail('not-connected', `${why} Connect again.`));
      expect(vi.getTimerCount()).toBe(0);
    });

  it('is over when it is closed: while connected, while it waits, while it connects', async () => {
    const connected = await linkOver(ok(new MemoryTransport()));
    const transport = await connected.link.transport(forever);
    connected.link.close();
    connected.link.close();
    expect(transport).toMatchObject({ value: { closed: true } });
    expect(connected.states).toEqual([{ kind: 'closed', why: 'The connection was closed.' }]);

    const lost = new MemoryTransport();
    const waits = await linkOver(ok(lost));
    lost.lose('Gone.');
    await vi.advanceTimersByTimeAsync(0);
    waits.link.close();
    expect(vi.getTimerCount()).toBe(0);

    const again = new MemoryTransport();
    const slow = Promise.withResolvers<Opened>();
    const connects = await linkOver(ok(again), slow.promise);
    again.lose('Gone.');
    await vi.advanceTimersByTimeAsync(1000);
    connects.link.close();
    expect(connects.signals[1]?.aborted).toBe(true);
    const late = new MemoryTransport();
    slow.resolve(ok(late));
    await vi.advanceTimersByTimeAsync(0);
    expect(late.closed).toBe(true);
    expect(connects.link.state.kind).toBe('closed');
  });
});
