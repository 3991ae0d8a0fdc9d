import { z } from 'zod';
import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { MOST_ANSWER_BYTES } from '../shell/first-line.ts';
import { HeldBytes } from '../shell/held-bytes.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import { cancelled, firstLine, linkLost, timedOut } from '../shell/shell-failure.ts';

const REST_TIMEOUT_MS = 30_000;

/**
 * What the agent prints as one JSON object, by `schema`, whatever its exit code; `agent-failed` where it
 * is something else.
 */
export async function askAgent<T>(
  session: Pick<HostSession, 'openAgent'>,
  args: readonly string[],
  schema: z.ZodType<T>,
  options: { readonly asRoot: boolean; readonly signal: AbortSignal },
): Promise<Result<T, HostError | 'cancelled'>> {
  const opened = await session.openAgent(args, options);
  if (!opened.ok) return opened;
  const channel = opened.value;
  channel.stdin.end();
  const time = AbortSignal.timeout(REST_TIMEOUT_MS);
  const text = await readAll(channel, AbortSignal.any([options.signal, time]));
  const stderr = channel.stderrTail();
  channel.close();
  if (options.signal.aborted) return cancelled();
  if (text === 'aborted') return timedOut(REST_TIMEOUT_MS / 1000);
  if (text === 'broken') return linkLost();
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return ok(parsed.data);
  const said = firstLine(stderr) || firstLine(text);
  const message = `The agent's answer to “${args[0]}” cannot be read (“${said}”): install Stalltrace again, or try another host.`;
  return fail('agent-failed', message, z.prettifyError(parsed.error).slice(0, 1000));
}

async function readAll(
  channel: AgentChannel,
  signal: AbortSignal,
): Promise<string | 'aborted' | 'broken'> {
  const held = new HeldBytes();
  const whole = new Promise<void>((resolve) => {
    channel.stdout.on('data', (chunk: Buffer) => {
      if (held.length > MOST_ANSWER_BYTES) return;
      held.add(chunk);
      // Its line is all there is: what an rc file left running may hold the channel for ever.
      if (held.length > MOST_ANSWER_BYTES || chunk.includes('\n')) resolve();
    });
    channel.stdout.resume();
  });
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    if (signal.aborted) resolve('aborted');
  });
  const end = await Promise.race([whole, channel.exit, aborted]);
  if (end === 'aborted') return 'aborted';
  if (end && end.code === null && end.signal === undefined) return 'broken';
  return held.length > MOST_ANSWER_BYTES ? '' : held.bytes.toString('utf8');
}
