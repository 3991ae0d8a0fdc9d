import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../shared/rpc/result.ts';
import { runAgent } from '../capture/agent-output.ts';
import { findRun } from '../capture/find-run.ts';
import { lookAtHost } from '../capture/look-at-host.ts';
import { stopRun } from '../capture/stop-run.ts';
import { watchRun } from '../capture/watch-run.ts';
import { openLink } from '../link/open-link.ts';
import { listProcesses } from '../preflight/list-processes.ts';
import { hostCommands } from '../shell/create-session.ts';
import type { HostSession } from '../shell/host-session.ts';
import { Credentials } from '../sign-in/credentials.ts';
import { openSsh2 } from '../ssh2/open-ssh2.ts';
import type { RunRecord } from '../state/run-record.ts';
import { fetchTrace } from '../transfer/fetch-trace.ts';
import { testHost } from '../transport/testing/test-host.ts';
import type { HostTrust } from '../trust/host-trust.ts';

const LIMIT_BYTES = 8 * 1024 ** 2;

const run = {
  id: '0123456789abcdef',
  agentRun: '0123456789abcdef',
  runBase: '/run/stalltrace',
  asRoot: false,
  traceFile: '/captures/run.trace.db',
  bootId: '11111111-1111-1111-1111-111111111111',
  request: { target: { kind: 'machine' }, durationS: 60, maxSizeBytes: LIMIT_BYTES },
} as unknown as RunRecord;

type Attacked = Pick<HostSession, 'link' | 'openAgent' | 'runScript' | 'privilege' | 'bootId'>;
type Act = (host: Attacked, signal: AbortSignal, folder: string) => Promise<unknown>;

/** What the app asks of a host that it is signed in to. */
export const asked: Readonly<Record<string, Act>> = {
  script: (host, signal) => host.runScript('echo', [], { signal }),
  look: (host, signal) => lookAtHost(host, run.traceFile, signal),
  list: (host, signal) => listProcesses(host, signal),
  status: (host, signal) => findRun(host, run, signal),
  stop: (host, signal) => stopRun(host, run, signal),
  verb: (host, signal) => runAgent(host, ['version'], { asRoot: false, signal }),
  watch: (host, signal) =>
    watchRun(
      host,
      run,
      {
        figures() {},
        notice() {},
        pastedLine() {},
        ended() {},
        jobEnded() {},
        link() {},
      },
      signal,
    ),
  fetch: (host, signal, folder) =>
    fetchTrace(host, {
      remoteFile: run.traceFile,
      folder,
      mostBytes: LIMIT_BYTES,
      signal,
      onProgress() {},
    }),
};

/** Trusts whatever key is shown. */
const trust: HostTrust = {
  keyTypes: async () => [],
  judge: async () => ({ kind: 'known' }),
  remember: async () => ({ ok: true, value: null }),
};

export interface HostileServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startHostileServer(): Promise<HostileServer> {
  const program = fileURLToPath(new URL('./hostile-ssh-server.ts', import.meta.url));
  const child: ChildProcess = fork(program, [], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

interface AttackOutcome {
  readonly what: string;
  /** What it came to by itself or, `cancelled`, once its user had enough. */
  readonly outcome: unknown;
  /** Left in the folder of the trace. */
  readonly left: readonly string[];
}

/** Asks one thing of a host that behaves so, for at most `patienceMs` before it is cancelled. */
export async function attack(
  { port }: HostileServer,
  behaviour: string,
  what: string,
  patienceMs: number,
): Promise<AttackOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'));
  const session = await signIn(port, behaviour);
  const cancel = new AbortController();
  try {
    const act = asked[what];
    if (act === undefined) throw new Error(`what is ${what}?`);
    const done = act(session, cancel.signal, folder);
    await Promise.race([done, sleep(patienceMs, undefined, { signal: cancel.signal })]);
    cancel.abort();
    return { what, outcome: await done, left: readdirSync(folder) };
  } finally {
    session.link.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined where it ended as it should: with a sentence, and no trace under its name. */
export function whatIsWrong({ what, outcome, left }: AttackOutcome): string | undefined {
  if (left.some((name) => !['trace.part', 'transfer.json'].includes(name)))
    return `${what} left ${left.join()}`;
  // Whoever follows a capture is told by events.
  if (what === 'watch') return outcome === undefined ? undefined : `${what} came to something`;
  const result = outcome as Result<unknown>;
  if (result.ok || /[.!”]$/.test(result.error.message)) return undefined;
  return `${what} said “${result.error.message}”`;
}

/** By this process; its attacker is another one. */
export function heldBytes(): number {
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + Math.max(arrayBuffers, external);
}

async function signIn(port: number, behaviour: string): Promise<Attacked> {
  // The attack begins after it: a host that floods this machine must not end a sign-in beside it.
  const connectTimeoutMs = 60_000;
  const host = testHost('127.0.0.1', { port, user: behaviour, connectTimeoutMs });
  const linked = await openLink({
    connection: '00000000-0000-4000-8000-000000000000',
    label: 'hostile',
    host,
    signal: new AbortController().signal,
    open: (signal) => openSsh2(host, { trust, credentials: new Credentials(), signal }),
  });
  const link = must(linked);
  const found = { privilege: 'no-sudo', elevation: { kind: 'none' } } as const;
  return {
    link,
    bootId: run.bootId,
    privilege: 'no-sudo',
    ...hostCommands(link, '/agent/stalltrace-agent', found),
  };
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
