import { z } from 'zod';
import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { cleanLines, cleanText, MAX_NAME_LENGTH } from '../../shared/text/text.ts';
import { HeldBytes } from '../shell/held-bytes.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { ChannelExit } from '../transport/transport.ts';

/** A thousand runs' `status` is 3 MB. */
const LARGEST_OUTPUT_BYTES = 8 * 1024 ** 2;
/** `stop` waits 30 s for the recorder. */
const PATIENCE_MS = 45_000;

/** Its output ended, and a program that ends says how at once. */
const EXIT_WITHIN_MS = 5_000;

interface AgentOptions {
  readonly asRoot: boolean;
  readonly signal: AbortSignal;
  /** For all of its output; 45 s where it is not given. */
  readonly timeoutMs?: number;
}

export interface AgentOutput {
  readonly code: number;
  /** Its lines, whole ones. */
  readonly lines: readonly string[];
  /** What it said on standard error, cleaned. */
  readonly said: string;
}

/** Runs a verb of the agent to its end; another code than 0 is no failure here. */
export async function runAgent(
  session: Pick<HostSession, 'openAgent'>,
  args: readonly string[],
  options: AgentOptions,
): Promise<Result<AgentOutput, HostError | 'cancelled'>> {
  const opened = await session.openAgent(args, options);
  if (!opened.ok) return opened;
  const channel = opened.value;
  const bytes = await readToEnd(channel, options);
  const { code } = await exitOf(channel, options.signal);
  if (options.signal.aborted) return fail('cancelled', 'Cancelled.');
  if (bytes === undefined) return tooSlow(args);
  if (code === null) return fail('link-lost', 'The connection to the host was lost: try again.');
  const lines = bytes.toString('utf8').split('\n').slice(0, -1);
  return ok({ code, lines, said: cleanText(channel.stderrTail().trim(), 2000) });
}

/** With the longest path. */
const LONGEST_READY_BYTES = 32 * 1024;
const ready = z.object({ event: z.literal('ready'), bytes: z.number().int().nonnegative() });

/**
 * The last bytes of a file on the host that nobody writes to any more, cleaned, its lines kept; empty
 * where it can't be had. Over the agent: the file may be root's alone.
 */
export async function readTail(
  session: Pick<HostSession, 'openAgent'>,
  path: string,
  mostBytes: number,
  options: AgentOptions,
): Promise<string> {
  const opened = await session.openAgent(['send', '--file', path], options);
  if (!opened.ok) return '';
  const channel = opened.value;
  let asked = false;
  const bytes = await readToEnd(channel, options, (soFar) => {
    const end = asked || soFar.length > LONGEST_READY_BYTES ? -1 : soFar.indexOf(0x0a);
    if (end < 0) return;
    asked = true;
    const size = ready.safeParse(parseJson(soFar.subarray(0, end).toString())).data?.bytes ?? 0;
    const length = Math.min(size, mostBytes);
    channel.stdin.end(length === 0 ? '' : `frame ${size - length} ${length} 0\n`);
  });
  channel.close();
  // The line `ready`, the line `frame`, the bytes.
  const afterReady = (bytes?.indexOf(0x0a) ?? -1) + 1;
  const afterFrame = (bytes?.indexOf(0x0a, afterReady) ?? -1) + 1;
  if (bytes === undefined || afterReady === 0 || afterFrame === 0) return '';
  const tail = bytes.subarray(afterFrame).subarray(-mostBytes);
  return cleanLines(tail.toString('utf8').trim(), MAX_NAME_LENGTH);
}

/**
 * How a channel ended whose output has. One whose host says no more of it, and does not close it either,
 * is closed here: nobody waits for it for ever.
 */
export async function exitOf(channel: AgentChannel, signal: AbortSignal): Promise<ChannelExit> {
  const close = () => channel.close();
  const late = setTimeout(close, EXIT_WITHIN_MS);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  const exit = await channel.exit;
  clearTimeout(late);
  signal.removeEventListener('abort', close);
  return exit;
}

/** All that a channel prints; undefined where that is too much or takes too long: then it is closed. */
async function readToEnd(
  channel: AgentChannel,
  { signal, timeoutMs = PATIENCE_MS }: AgentOptions,
  onBytes: (soFar: Buffer) => void = () => undefined,
): Promise<Buffer | undefined> {
  const held = new HeldBytes();
  let isTooMuch = false;
  const close = () => {
    isTooMuch = true;
    channel.close();
  };
  const timer = setTimeout(close, timeoutMs);
  signal.addEventListener('abort', close, { once: true });
  channel.stderr.resume();
  channel.stdin.on('error', () => undefined);
  try {
    for await (const chunk of channel.stdout as AsyncIterable<Buffer>) {
      if (isTooMuch) continue;
      held.add(chunk);
      if (held.length > LARGEST_OUTPUT_BYTES) close();
      else onBytes(held.bytes);
    }
  } catch {
    // A stream that broke: `exit` says so.
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', close);
  }
  return isTooMuch ? undefined : held.bytes;
}

function tooSlow(args: readonly string[]): Result<never, 'timed-out'> {
  return fail(
    'timed-out',
    `The agent on the host gave no answer to "${args[0] ?? ''}" in time: the host may be overloaded. Try again.`,
  );
}
