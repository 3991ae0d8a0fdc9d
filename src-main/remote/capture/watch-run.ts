import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import { runArguments } from './agent-arguments.ts';
import { exitOf, readTail } from './agent-output.ts';
import { lookAtHost } from './look-at-host.ts';
import { readLines } from './read-lines.ts';
import { endOfDeath, endOfNothing, endOfReboot } from './run-end.ts';
import { type FollowerEvents, RunFollower } from './run-follower.ts';

/** `alive` comes each second: so long without a line is a channel that hangs. */
const SILENCE_MS = 20_000;
const AGAIN_AFTER_MS = 1_000;
const AGAIN_AT_MOST_MS = 15_000;
const LOG_BYTES = 4096;
const EXIT_NO_RUN = 3;
/** In place of an exit code: the agent could not be started, though the host is there. */
const NOT_STARTED = -1;

export type WatchSession = Pick<HostSession, 'openAgent' | 'runScript' | 'bootId'> & {
  readonly link: Pick<HostSession['link'], 'transport' | 'onState' | 'state'>;
};

export type WatchedRun = Pick<
  RunRecord,
  'agentRun' | 'runBase' | 'asRoot' | 'request' | 'traceFile' | 'bootId'
>;

export interface WatchEvents extends FollowerEvents {
  link(state: 'connected' | 'reconnecting' | 'lost'): void;
}

/**
 * Follows a run until its process has ended, or `signal` is aborted: over lost connections, restarts
 * of the host, and the death of its recorder. Never fails: what is wrong is how the run ended.
 */
export async function watchRun(
  session: WatchSession,
  run: WatchedRun,
  events: WatchEvents,
  signal: AbortSignal,
): Promise<void> {
  const follower = new RunFollower(run, events);
  const unlisten = session.link.onState(({ kind }) => {
    if (kind === 'reconnecting') events.link('reconnecting');
  });
  try {
    for (let failures = 0; !signal.aborted; failures++) {
      const connected = await session.link.transport(signal);
      if (!connected.ok) {
        if (connected.error.code !== 'cancelled') events.link('lost');
        return;
      }
      events.link('connected');
      const followed = await followOnce(session, run, follower, signal);
      if (followed.over || (await isOver(session, run, follower, followed.code, signal))) return;
      if (followed.heard) failures = 0;
      // A server that allows no more channels now, say.
      const wait = Math.min(AGAIN_AFTER_MS * 2 ** failures, AGAIN_AT_MOST_MS);
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    unlisten();
  }
}

interface Followed {
  /** Its process has ended, and all its lines were told. */
  readonly over: boolean;
  readonly heard: boolean;
  readonly code: number | null;
}

async function followOnce(
  session: WatchSession,
  run: WatchedRun,
  follower: RunFollower,
  signal: AbortSignal,
): Promise<Followed> {
  const args = ['watch', ...runArguments({ ...run, agentRun: run.agentRun ?? '' })];
  const opened = await session.openAgent(args, { asRoot: run.asRoot, signal });
  if (!opened.ok) {
    const isLink = ['link-lost', 'not-connected', 'cancelled'].includes(opened.error.code);
    return { over: false, heard: false, code: isLink ? null : NOT_STARTED };
  }
  const channel = opened.value;
  const heard = await tell(channel, follower, signal);
  const { code } = await exitOf(channel, signal);
  const isAlive = follower.state?.process_alive ?? true;
  return { over: code === 0 && follower.end !== undefined && !isAlive, heard, code };
}

/** Gives the channel's lines to the follower until it ends, hangs, or `signal` is aborted. */
async function tell(
  channel: AgentChannel,
  follower: RunFollower,
  signal: AbortSignal,
): Promise<boolean> {
  let heard = false;
  const close = () => channel.close();
  const silence = setTimeout(close, SILENCE_MS);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  channel.stderr.resume();
  channel.stdin.on('error', () => undefined);
  try {
    for await (const text of readLines(channel.stdout)) {
      silence.refresh();
      // That there is no such run is for `isOver` to judge: it is not the run's own line.
      if (isNoRun(text)) continue;
      heard = follower.take(text) !== undefined || heard;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', close);
  }
  return heard;
}

function isNoRun(text: string | undefined): boolean {
  return text?.includes('"event":"error"') === true && text.includes('"code":"no-such-run"');
}

/** Whether there is nothing more to follow; tells the end that the run's own lines don't. */
async function isOver(
  session: WatchSession,
  run: WatchedRun,
  follower: RunFollower,
  code: number | null,
  signal: AbortSignal,
): Promise<boolean> {
  // The link broke, or the channel did: what has become of the run is not known.
  if (code === null || signal.aborted) return false;
  const now = await lookAtHost(session, run.traceFile, signal);
  if (!now.ok) return false;
  const { bootId, bootedAtMs, traceBytes } = now.value;
  if (bootId !== run.bootId) {
    follower.finish(endOfReboot(bootedAtMs, traceBytes));
    return true;
  }
  if (code === EXIT_NO_RUN) {
    follower.finish(endOfNothing(traceBytes));
    return true;
  }
  const state = follower.state;
  if (code !== 0 || state === undefined || state.process_alive) return false;
  if (follower.end === undefined)
    follower.finish({
      ...endOfDeath(await endOfLog(session, run, signal)),
      ...(traceBytes !== undefined && { bytesOnHost: traceBytes }),
    });
  return true;
}

async function endOfLog(
  session: WatchSession,
  { runBase, agentRun, asRoot }: WatchedRun,
  signal: AbortSignal,
): Promise<string> {
  if (runBase === undefined || agentRun === undefined) return '';
  return readTail(session, `${runBase}/${agentRun}/log`, LOG_BYTES, { asRoot, signal });
}
