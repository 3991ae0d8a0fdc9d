import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import type { FramePipe } from '../../../src-main/shared/rpc/rpc.ts';
import { CONNECTION_LOST, Connection, type OpenPipe } from './connection.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function fakePipe() {
  const close: ((reason: string) => void)[] = [];
  const pipe: FramePipe = {
    post: () => undefined,
    onFrame: () => undefined,
    onClose: (listener) => void close.push(listener),
  };
  return { pipe, end: () => close.forEach((listener) => void listener('lost')) };
}

test('a lost pipe is opened again by itself, with growing pauses', async () => {
  const first = fakePipe();
  let attempts = 0;
  const openPipe: OpenPipe = async () => {
    attempts += 1;
    if (attempts === 1) return ok(first.pipe);
    return attempts < 4 ? fail('unreachable', 'down') : ok(fakePipe().pipe);
  };
  const attached: FramePipe[] = [];
  const connection = new Connection(openPipe, (pipe) => void attached.push(pipe));
  await connection.connect();
  expect(connection.status).toBe('connected');
  first.end();
  expect(connection.status).toBe('lost');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(attempts).toBe(2);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(attempts).toBe(2);
  await vi.advanceTimersByTimeAsync(1 + 4_000);
  expect(connection.status).toBe('connected');
  expect(attached).toHaveLength(2);
});

test('a host that refuses is not asked again by itself', async () => {
  let attempts = 0;
  const connection = new Connection(
    async () => {
      attempts += 1;
      return fail('refused', 'no session');
    },
    () => undefined,
  );
  await connection.connect();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(connection.status).toBe('refused');
  expect(connection.everConnected).toBe(false);
  expect(attempts).toBe(1);
});

test('what the host says of why is kept, until the next attempt says something else', async () => {
  const first = fakePipe();
  const reason = '16 pages are connected already: close one of them.';
  const full = fail('unreachable', reason);
  const answers = [full, ok(first.pipe)];
  const connection = new Connection(
    async () => answers.shift() ?? full,
    () => undefined,
  );
  await connection.connect();
  expect([connection.status, connection.whyLost]).toEqual(['lost', reason]);
  await connection.connect();
  first.end();
  expect([connection.status, connection.whyLost]).toEqual(['lost', CONNECTION_LOST]);
});
