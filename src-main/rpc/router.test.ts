import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fail, ok } from '../shared/rpc/result.ts';
import {
  type CallContext,
  createRpcClient,
  defineCall,
  type ReplyFrame,
  type RequestFrame,
  returns,
} from '../shared/rpc/rpc.ts';
import { createRouter } from './router.ts';

const table = {
  double: defineCall(z.strictObject({ value: z.number() }), returns<number>(), 'too-large'),
  wait: defineCall(z.strictObject({}), returns<null>()),
  explode: defineCall(z.strictObject({}), returns<null>()),
} as const;

function untilAborted({ signal }: CallContext): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function connect() {
  const bugs: unknown[] = [];
  const aborted: string[] = [];
  const router = createRouter(
    table,
    {
      double: async ({ value }) => (value > 100 ? fail('too-large', 'Too large.') : ok(value * 2)),
      wait: async (_args, context) => {
        context.progress({ fraction: 0.5, text: 'half' });
        await untilAborted(context);
        aborted.push('wait');
        return ok(null);
      },
      explode: () => Promise.reject(new Error('boom')),
    },
    (_call, bug) => bugs.push(bug),
  );
  let onFrame: (frame: ReplyFrame) => void = () => undefined;
  let onClose: (reason: string) => void = () => undefined;
  const session = router.connect((frame) => queueMicrotask(() => onFrame(frame)));
  const client = createRpcClient<typeof table>({
    post: (frame: RequestFrame) => session.receive(structuredClone(frame)),
    onFrame: (listener) => {
      onFrame = listener;
    },
    onClose: (listener) => {
      onClose = listener;
    },
  });
  return { client, session, bugs, aborted, lose: (reason: string) => onClose(reason) };
}

describe('router and client', () => {
  test('carry a value and an expected failure', async () => {
    const { client } = connect();
    expect(await client.call('double', { value: 21 })).toEqual(ok(42));
    expect(await client.call('double', { value: 101 })).toMatchObject({
      error: { code: 'too-large' },
    });
  });

  test('refuse arguments that the schema does not allow, and names that do not exist', async () => {
    const { client } = connect();
    for (const args of [{ value: '1' }, { value: 1, more: 2 }, null]) {
      expect(await client.call('double', args as never)).toMatchObject({
        error: { code: 'bad-arguments' },
      });
    }
    for (const name of ['nothing', 'constructor', '__proto__', 'toString']) {
      expect(await client.call(name as never, {} as never)).toMatchObject({
        error: { code: 'bad-arguments' },
      });
    }
  });

  test('report progress and cancel', async () => {
    const { client, aborted } = connect();
    const controller = new AbortController();
    const progress: unknown[] = [];
    const waiting = client.call(
      'wait',
      {},
      { signal: controller.signal, onProgress: (step) => progress.push(step) },
    );
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    expect(await waiting).toMatchObject({ error: { code: 'cancelled' } });
    expect(progress).toEqual([{ fraction: 0.5, text: 'half' }]);
    expect(aborted).toEqual(['wait']);
  });

  test('hide what a bug threw from the peer and hand it to the log', async () => {
    const { client, bugs } = connect();
    const result = await client.call('explode', {});
    expect(result).toMatchObject({ error: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toContain('boom');
    expect(bugs).toHaveLength(1);
  });

  test('abort what runs when the peer goes, and settle what waits when the connection ends', async () => {
    const { client, session, aborted, lose } = connect();
    const waiting = client.call('wait', {});
    session.close();
    await new Promise((resolve) => setTimeout(resolve));
    expect(aborted).toEqual(['wait']);
    lose('gone');
    const disconnected = { error: { code: 'disconnected', message: 'gone' } };
    expect(await waiting).toMatchObject(disconnected);
    expect(await client.call('double', { value: 1 })).toMatchObject(disconnected);
  });

  test('answer in short where the result itself cannot be sent', async () => {
    const bugs: unknown[] = [];
    const router = createRouter(
      { big: defineCall(z.strictObject({}), returns<string>()) },
      { big: async () => ok('x'.repeat(1000)) },
      (_call, bug) => bugs.push(bug),
    );
    const sent: ReplyFrame[] = [];
    const session = router.connect((frame) => {
      if (JSON.stringify(frame).length > 500) throw new RangeError('Invalid string length');
      sent.push(frame);
    });
    session.receive({ kind: 'call', id: 3, name: 'big', args: {} });
    await new Promise((resolve) => setTimeout(resolve));
    expect(sent).toMatchObject([
      { kind: 'result', id: 3, result: { error: { code: 'internal' } } },
    ]);
    expect(bugs).toHaveLength(1);
  });

  test('outlive a connection that takes nothing any more', async () => {
    const bugs: unknown[] = [];
    const router = createRouter(
      { one: defineCall(z.strictObject({}), returns<number>()) },
      { one: async () => ok(1) },
      (_call, bug) => bugs.push(bug),
    );
    const session = router.connect(() => {
      throw new Error('closed');
    });
    session.receive({ kind: 'call', id: 0, name: 'one', args: {} });
    await new Promise((resolve) => setTimeout(resolve));
    expect(bugs).toHaveLength(2);
  });

  test('survive whatever a peer sends', () => {
    const { session } = connect();
    for (const junk of [
      undefined,
      null,
      1,
      'x',
      [],
      { kind: 'call' },
      { kind: 'cancel', id: -1 },
    ]) {
      expect(() => session.receive(junk)).not.toThrow();
    }
  });
});
