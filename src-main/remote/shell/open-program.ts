import { randomBytes } from 'node:crypto';
import type { HostError } from '../../shared/remote/connection.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { Channel, ChannelExit, Transport } from '../transport/transport.ts';
import { newFence } from './fence.ts';
import { awaitFirstLine } from './first-line.ts';
import type { AgentChannel } from './host-session.ts';
import { openShell } from './open-shell.ts';
import { quoteWords } from './quote.ts';
import { answerTooLong, noShell } from './shell-failure.ts';
import { StderrTail } from './stderr-tail.ts';
import { TimeLimit } from './time-limit.ts';

/** By which rights a program is started. The password goes to sudo's standard input and nowhere else. */
export type Elevation =
  | { readonly kind: 'none' | 'sudo' }
  | { readonly kind: 'sudo-password'; readonly password: string };

export interface ProgramOptions {
  readonly elevation: Elevation;
  /** Until the first line has come; from then on the channel is its owner's. */
  readonly signal: AbortSignal;
  /** For the first line. */
  readonly timeoutMs: number;
  /** Where the server gives no more sessions (MaxSessions): for one that others end, else `no-more-channels`. */
  readonly whenFull?: 'wait' | 'fail' | undefined;
}

/** A program that ended before its first line. */
export interface EndedProgram {
  readonly kind: 'wrong-password' | 'ended';
  readonly exit: ChannelExit;
  readonly stderr: string;
}

type Opened = { readonly kind: 'open'; readonly channel: AgentChannel } | EndedProgram;

/**
 * Starts a program that says JSON. Its standard input is handed over only when its first line has come:
 * before, the shell or sudo would read it.
 */
export async function openProgram(
  transport: Transport,
  words: readonly string[],
  options: ProgramOptions,
): Promise<Result<Opened, HostError | 'cancelled'>> {
  const limit = new TimeLimit(options.signal, options.timeoutMs);
  try {
    const opened = await openShell(transport, limit.signal, options.whenFull);
    if (!opened.ok && opened.error.code === 'no-more-channels') return opened;
    if (!opened.ok) return limit.failure(opened.error.code === 'link-lost');
    return await start(opened.value, words, options.elevation, limit);
  } finally {
    limit.clear();
  }
}

async function start(
  channel: Channel,
  words: readonly string[],
  elevation: Elevation,
  limit: TimeLimit,
): Promise<Result<Opened, HostError | 'cancelled'>> {
  const fence = newFence();
  const prompt = `stalltrace-${randomBytes(16).toString('hex')}:`;
  const stderr = new StderrTail();
  const isRefused = answerPrompts(channel, stderr, { prompt, begin: fence.begin }, elevation);
  channel.stdin.write(`{
${fence.printBegin}
set -- ${quoteWords(words)}
${startLines(elevation, prompt)}
}
`);
  const aborted = new Promise<'aborted'>((resolve) => {
    limit.signal.addEventListener('abort', () => resolve('aborted'), { once: true });
    if (limit.signal.aborted) resolve('aborted');
  });
  const first = await Promise.race([
    awaitFirstLine(channel.stdout, fence.begin),
    isRefused.then(() => 'refused' as const),
    aborted,
  ]);
  if (first !== 'aborted' && first !== 'refused' && first.kind === 'line') {
    return ok({ kind: 'open', channel: withTail(channel, stderr) });
  }
  if (first === 'aborted') {
    channel.close();
    return limit.failure(false);
  }
  if (first === 'refused') {
    channel.close();
    return ok({ kind: 'wrong-password', exit: { code: null }, stderr: stderr.toString() });
  }
  if (first.kind === 'too-long') {
    channel.close();
    return answerTooLong(words);
  }
  return whyNoLine(channel, first, stderr, limit, aborted);
}

async function whyNoLine(
  channel: Channel,
  first: { readonly said: string; readonly marked: boolean },
  stderr: StderrTail,
  limit: TimeLimit,
  aborted: Promise<'aborted'>,
): Promise<Result<Opened, HostError | 'cancelled'>> {
  channel.stdout.resume();
  const exit = await Promise.race([channel.exit, aborted]);
  channel.close();
  if (exit === 'aborted') return limit.failure(false);
  if (exit.code === null && exit.signal === undefined) return limit.failure(true);
  if (!first.marked) return noShell(`${first.said}\n${stderr}`);
  return ok({ kind: 'ended', exit, stderr: `${stderr}` });
}

/**
 * LC_ALL=C, for sudo's prompt is replaced by ours only where PAM's is the untranslated one; the program
 * itself gets the locale that it would have had. -k: a password is asked for whatever sudo remembers, so
 * that it never is what the program reads.
 */
function startLines(elevation: Elevation, prompt: string): string {
  switch (elevation.kind) {
    case 'none':
      return 'exec "$@"';
    case 'sudo':
      return 'exec sudo -n -- "$@"';
    case 'sudo-password':
      return `if [ "\${LC_ALL+x}" ]; then set -- env "LC_ALL=$LC_ALL" "$@"; else set -- env -u LC_ALL "$@"; fi
exec env LC_ALL=C sudo -S -k -p '${prompt}' -- "$@"`;
  }
}

/** Answers sudo's first prompt; settles at a second one: the password was wrong. */
function answerPrompts(
  channel: Channel,
  stderr: StderrTail,
  marks: { readonly prompt: string; readonly begin: string },
  elevation: Elevation,
): Promise<void> {
  const { prompt, begin } = marks;
  let prompts = 0;
  let begun = false;
  if (elevation.kind === 'sudo-password') stderr.hide(elevation.password);
  return new Promise((resolve) => {
    channel.stderr.on('data', (chunk: Buffer) => {
      stderr.add(chunk);
      begun ||= stderr.dropThrough(begin);
      if (!begun || elevation.kind !== 'sudo-password') return;
      while (stderr.take(prompt)) {
        if (++prompts === 1) channel.stdin.write(`${elevation.password}\n`);
        else resolve();
      }
    });
  });
}

function withTail(channel: Channel, stderr: StderrTail): AgentChannel {
  return {
    stdin: channel.stdin,
    stdout: channel.stdout,
    stderr: channel.stderr,
    exit: channel.exit,
    close: () => channel.close(),
    stderrTail: () => stderr.toString(),
  };
}
