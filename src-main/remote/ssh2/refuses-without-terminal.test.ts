import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import type { Channel, ExecError, Transport } from '../transport/transport.ts';
import { refusesWithoutTerminal } from './refuses-without-terminal.ts';

const gateway = { software: 'SSH-2.0-Gateway', address: 'me@gateway:22' };

function over(exec: Transport['exec'], signal = new AbortController().signal) {
  const transport: Transport = {
    kind: 'ssh2',
    facts: { signedInWith: 'none', via: [] },
    exec,
    ended: new Promise(() => undefined),
    close: () => undefined,
  };
  return refusesWithoutTerminal(transport, gateway, signal);
}

function channel(said: string) {
  let closed = false;
  const exit = Promise.withResolvers<{ code: number | null }>();
  const value: Channel = {
    stdin: new PassThrough(),
    stdout: new PassThrough().end(said),
    stderr: new PassThrough().end(),
    exit: exit.promise,
    close() {
      closed = true;
    },
  };
  return { value, end: () => exit.resolve({ code: 1 }), isClosed: () => closed };
}

it('is a host that says so', async () => {
  const { value, end } = channel("Error: Your SSH client doesn't support PTY");
  setTimeout(end, 20);
  expect(await over(async () => ok(value))).toMatchObject({ error: { code: 'pty-required' } });
});

it('is not waited for when that is cancelled: no session, or one that says nothing', async () => {
  const opening = Promise.withResolvers<Awaited<ReturnType<Transport['exec']>>>();
  const cancel = new AbortController();
  const judged = over(() => opening.promise, cancel.signal);
  cancel.abort();
  expect(await judged).toBe(undefined);
  const late = channel('');
  opening.resolve(ok(late.value));
  await expect.poll(late.isClosed).toBe(true);

  const silent = channel('');
  const again = new AbortController();
  const waiting = over(async () => ok(silent.value), again.signal);
  setTimeout(() => again.abort(), 20);
  expect(await waiting).toBe(undefined);
  expect(silent.isClosed()).toBe(true);
});

it('is one that allows no session at all, but none whose link was lost', async () => {
  const failing = (code: ExecError) => async () =>
    ({ ok: false, error: { code, message: '' } }) as const;
  expect(await over(failing('no-more-channels'))).toMatchObject({
    error: { code: 'pty-required' },
  });
  expect(await over(failing('link-lost'))).toBe(undefined);
});
