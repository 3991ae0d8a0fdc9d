import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { HostTarget } from '../../src-main/shared/remote/host-target.ts';
import { cudart } from './agent-run.ts';
import { root } from './built.ts';
import { type RemoteProcess, startRemoteProcess, trusting } from './remote-process.ts';
import {
  createSshKey,
  type SshHost,
  type SshHostOptions,
  type SshKey,
  startSshHost,
} from './ssh-host.ts';
import { createSshUser, type SshUser, type SshUserOptions } from './ssh-user.ts';

/** A real host, a user of it, and whoever sits before the app: what a whole capture needs. */
export interface RemoteStage {
  readonly host: SshHost;
  readonly user: SshUser;
  readonly key: SshKey;
  /** Of the person: the app's data in `remote/`, their home in `home/`. */
  readonly folder: string;
  /** How the host is named; with the key. */
  target(changes?: Partial<HostTarget>): HostTarget;
  /** Ended with the stage; several at once are several instances of the app. */
  startApp(answer?: Parameters<typeof startRemoteProcess>[0]['answer']): RemoteProcess;
  remove(): Promise<void>;
}

export async function createRemoteStage({
  host: hostOptions = {},
  user: userOptions = { sudo: 'free' },
}: {
  readonly host?: SshHostOptions;
  readonly user?: SshUserOptions;
} = {}): Promise<RemoteStage> {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-stage-'));
  const host = await startSshHost(hostOptions);
  const user = await createSshUser(userOptions);
  const key = createSshKey(join(folder, 'key'));
  user.authorise(key.publicKey);
  const apps: RemoteProcess[] = [];
  return {
    host,
    user,
    key,
    folder,
    target: (changes) => ({
      name: host.address,
      port: host.port,
      user: user.name,
      identityFiles: [key.file],
      transport: 'ssh2',
      ...changes,
    }),
    startApp(answer = trusting(user.password)) {
      const app = startRemoteProcess({ folder, answer });
      apps.push(app);
      return app;
    },
    async remove() {
      for (const app of apps) await app.kill();
      await host.stop();
      await user.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PyTorch's DataLoader before the simulated GPU, until it is killed: as root, or as `user`. */
export function startDataLoader(reportFile: string, user?: SshUser): ChildProcess {
  const words = [
    ...['/usr/bin/python3', join(root, 'test/agent/jobs/dataloader.py'), '--library', cudart],
    ...['--workers', '2', '--persistent', '--epochs', '100000', '--item-sleep-us', '500'],
    ...['--report', reportFile],
  ];
  if (user === undefined) return spawn(words[0] ?? '', words.slice(1));
  const as = ['--reuid', user.name, '--regid', user.name, '--init-groups', '--reset-env'];
  return spawn('setpriv', [...as, ...words], { cwd: user.home });
}

export async function endJob(job: ChildProcess): Promise<void> {
  if (job.exitCode !== null || job.signalCode !== null) return;
  const ended = once(job, 'exit');
  job.kill('SIGKILL');
  await ended;
}

/** The trace of a run on its host, which is this machine. */
export function remoteTraceOf({ folder }: Pick<RemoteStage, 'folder'>, run: string): string {
  const text = readFileSync(join(folder, 'remote/runs', run, 'run.json'), 'utf8');
  return (JSON.parse(text) as { readonly traceFile: string }).traceFile;
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** All that is left on the host: folders of ours wherever they may be, and the agent's notes of runs. */
export function leftOnHost({ uid, home }: SshUser): string[] {
  const places = [join(home, '.cache'), '/var/tmp', '/tmp', '/dev/shm', '/workspace'];
  const folders = places
    .flatMap((place) => namesIn(place).map((name) => join(place, name)))
    .filter((path) => /\/stalltrace-(remote-)?\d+$/i.test(path) && statSync(path).uid === uid)
    // The agent makes the folder of its runs as it likes; what counts is that none is left.
    .flatMap((path) => (/remote/.test(path) ? [path] : namesIn(path).map((n) => join(path, n))));
  const agents = namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(`/stalltrace-remote-${uid}/`))
    .map((pid) => `process ${pid}: ${commandOf(pid)}`);
  return [...folders, ...agents];
}

/** The process that writes a trace. */
export function recorderOf(traceFile: string): number {
  const [pid, ...others] = namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((each) => commandOf(each).includes(` --out ${traceFile} `))
    .filter((each) => !commandOf(each).startsWith('sudo'));
  if (pid === undefined || others.length > 0) throw new Error(`recorders: ${pid} ${others}`);
  return Number(pid);
}

/** Runs that the agent keeps notes of for root. */
export function rootRuns(): string[] {
  return namesIn('/run/stalltrace');
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
