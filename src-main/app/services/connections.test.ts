import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Run } from '../../shared/remote/run.ts';
import { ok } from '../../shared/rpc/result.ts';
import { Connections } from './connections.ts';
import type { RemoteClient } from './remote-client.ts';

const IDLE_MS = 1000;
const host = {
  connection: 'c',
  label: 'gpu',
  user: 'ada',
  address: 'ada@gpu:22',
  via: [],
  transport: 'ssh2' as const,
  signedInWith: 'password',
};

let runs: Partial<Run>[];
let closed: string[];
let connections: Connections;

beforeEach(() => {
  vi.useFakeTimers();
  runs = [];
  closed = [];
  const call = async (name: string, args: { connection?: string }) => {
    if (name === 'runs') return ok(runs);
    closed.push(args.connection ?? '');
    return ok(null);
  };
  const remote = { call } as unknown as RemoteClient;
  connections = new Connections(remote, IDLE_MS);
});
afterEach(async () => {
  await connections.closeAll();
  vi.useRealTimers();
});

test('a connection outlives a page that is reloaded, not one that stays away', async () => {
  const [before, after] = [new AbortController(), new AbortController()];
  connections.opened(host, before.signal);
  before.abort();
  await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
  connections.useBy('c', after.signal);
  await vi.advanceTimersByTimeAsync(10 * IDLE_MS);
  expect(closed).toEqual([]);
  after.abort();
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(closed).toEqual(['c']);
});

test('one with a capture stays until the capture is done with', async () => {
  const page = new AbortController();
  runs = [
    { address: 'ada@other:22', phase: 'recording' },
    { address: host.address, phase: 'recording' },
  ];
  connections.opened(host, page.signal);
  page.abort();
  await vi.advanceTimersByTimeAsync(5 * IDLE_MS);
  expect(closed).toEqual([]);
  runs = [{ address: host.address, phase: 'cleaned' }];
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(closed).toEqual(['c']);
});

test('one that its user closed is nobody’s any more', async () => {
  const page = new AbortController();
  connections.opened(host, page.signal);
  connections.forget('c');
  page.abort();
  await vi.advanceTimersByTimeAsync(5 * IDLE_MS);
  expect(closed).toEqual([]);
});

test('all are signed out at the end, and one that hangs is not waited for', async () => {
  connections.opened(host, new AbortController().signal);
  connections.opened({ ...host, connection: 'd' }, new AbortController().signal);
  await connections.closeAll();
  expect(closed).toEqual(['c', 'd']);
  const hanging = { call: () => new Promise(() => undefined) } as unknown as RemoteClient;
  const others = new Connections(hanging, IDLE_MS);
  others.opened(host, new AbortController().signal);
  const ended = others.closeAll();
  await ended;
});
