import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import type { Channel, ChannelExit, Transport } from '../transport/transport.ts';
import { MOST_ANSWER_BYTES } from './first-line.ts';
import { openProgram } from './open-program.ts';

/** A host whose shell runs the script by saying `answer` where the program would speak, and goes on for ever. */
function hostThatSays(answer: string) {
  const exit = Promise.withResolvers<ChannelExit>();
  let closed = false;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdin.once('data', (script: Buffer) => {
    const [, head = '', tail = ''] = /printf '[^']*' '(\w+)' '(\w+)'/.exec(script.toString()) ?? [];
    stdout.write(`Last login: today\n\n${head}${tail}<\n${answer}`);
  });
  const channel: Channel = {
    stdin,
    stdout,
    stderr: new PassThrough(),
    exit: exit.promise,
    close() {
      closed = true;
      exit.resolve({ code: null });
    },
  };
  const transport = { exec: async () => ok(channel) } as Partial<Transport> as Transport;
  return { transport, isClosed: () => closed };
}

const options = {
  elevation: { kind: 'none' },
  signal: new AbortController().signal,
  timeoutMs: 60_000,
} as const;

test('an answer that does not end is told in one sentence, with what to do', async () => {
  const host = hostThatSays(`{"processes":"${'x'.repeat(MOST_ANSWER_BYTES)}`);
  const words = ['/home/ada/.cache/stalltrace/agent', 'processes', '--all'];
  expect(await openProgram(host.transport, words, options)).toEqual({
    ok: false,
    error: {
      code: 'agent-failed',
      message:
        "The agent's answer to “processes” does not end: check the host again, which reinstalls the agent.",
    },
  });
  expect(host.isClosed()).toBe(true);
});

test('one that ends is left to whoever asked', async () => {
  const host = hostThatSays('{"v":1}\n');
  const opened = await openProgram(host.transport, ['/agent', 'processes'], options);
  expect(opened).toMatchObject({ ok: true, value: { kind: 'open' } });
  expect(host.isClosed()).toBe(false);
});
