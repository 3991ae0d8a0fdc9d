import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FetchError } from '../../../src-main/remote/transfer/fetch-trace.ts';
import type { FetchedTrace } from '../../../src-main/shared/contract/remote-process-calls.ts';
import type { TransferProgress } from '../../../src-main/shared/remote/run.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';
import type { Random } from '../../simulation/random.ts';
import type { SlowLink } from './slow-link.ts';
import type { KeyType, SshHost, SshKey } from './ssh-host.ts';
import type { TraceUser } from './trace-host.ts';

/** What `fetch-process.ts` is started with. */
export interface FetchOrder {
  readonly address: string;
  readonly port: number;
  readonly hostKeys: readonly (readonly [KeyType, SshKey])[];
  readonly user: Pick<TraceUser, 'name' | 'agent' | 'key'>;
  readonly remoteFile: string;
  readonly folder: string;
  readonly keepAliveMs: number;
}

export type Trouble = 'rst' | 'fin' | 'freeze' | 'restart';

export interface TroubledFetch {
  readonly host: SshHost;
  readonly user: TraceUser;
  /** To `host`. */
  readonly link: SlowLink;
  readonly remoteFile: string;
  readonly folder: string;
  /** How often, until the trace is here. */
  readonly troubles: number;
  readonly kinds: readonly Trouble[];
  readonly random: Random;
}

type Said =
  | { readonly signedIn: true }
  | { readonly progress: TransferProgress }
  | { readonly notice: string }
  | { readonly fetched: Result<FetchedTrace, FetchError> };

const KEEP_ALIVE_MS = 300;

/**
 * Brings a trace back in a process of its own, while the link is cut or frozen (longer and shorter than
 * it takes to notice) and the process is killed and started again, at random moments. Also returns what
 * happened when.
 */
export async function fetchThroughTrouble(options: TroubledFetch): Promise<{
  readonly fetched: Result<FetchedTrace, FetchError>;
  readonly history: readonly string[];
}> {
  const { link, troubles, kinds, random } = options;
  const history: string[] = [];
  let doneBytes = 0;
  let app = startApp(options, (bytes) => {
    doneBytes = bytes;
  });
  for (let trouble = 0; trouble < troubles; trouble++) {
    // A link that goes while it signs in is the first connection's matter: that is not made anew.
    await Promise.race([app.signedIn, app.ended]);
    if ((await Promise.race([app.ended, sleep(random(100, 1000))])) !== undefined) break;
    const kind = kinds[random(0, kinds.length - 1)] ?? 'rst';
    history.push(`${kind} at ${doneBytes}`);
    if (kind === 'rst' || kind === 'fin') await link.cut(kind);
    if (kind === 'freeze') {
      await link.freeze();
      await sleep(random(0, 8 * KEEP_ALIVE_MS));
      await link.thaw();
    }
    if (kind !== 'restart') continue;
    await app.kill();
    app = startApp(options, (bytes) => {
      doneBytes = bytes;
    });
  }
  return { fetched: await app.ended, history };
}

interface App {
  readonly signedIn: Promise<void>;
  readonly ended: Promise<Result<FetchedTrace, FetchError>>;
  kill(): Promise<void>;
}

function startApp(options: TroubledFetch, heard: (doneBytes: number) => void): App {
  const { host, user, link, remoteFile, folder } = options;
  const { name, agent, key } = user;
  const order: FetchOrder = {
    ...{ address: host.address, port: link.port, hostKeys: [...host.hostKeys] },
    ...{ user: { name, agent, key }, remoteFile, folder, keepAliveMs: KEEP_ALIVE_MS },
  };
  const program = fileURLToPath(new URL('./fetch-process.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], { execArgv: [] });
  const signedIn = new Promise<void>((resolve) => {
    child.on('message', (said: Said) => 'signedIn' in said && resolve());
  });
  const ended = outcome(child, heard);
  // Heard when it is asked for, which may be later.
  ended.catch(() => undefined);
  return { signedIn, ended, kill: () => kill(child) };
}

function outcome(
  child: ChildProcess,
  heard: (doneBytes: number) => void,
): Promise<Result<FetchedTrace, FetchError>> {
  return new Promise((resolve, reject) => {
    child.on('message', (said: Said) => {
      if ('progress' in said) heard(said.progress.doneBytes);
      if ('fetched' in said) resolve(said.fetched);
    });
    child.on('exit', (code, signal) => {
      if (signal === null) reject(new Error(`it ended with ${code} and brought nothing`));
    });
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
