import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RunRecord } from '../../../src-main/remote/state/run-record.ts';
import type { HostTarget } from '../../../src-main/shared/remote/host-target.ts';
import { standIn } from '../agent/agent-run.ts';
import { root } from '../built.ts';
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
  // Which types of host keys there are is another test's; an RSA key takes a while to make.
  const host = await startSshHost({ hostKeyTypes: ['ed25519'], ...hostOptions });
  const user = await createSshUser(userOptions);
  const key = createSshKey(join(folder, 'key'));
  // Frozen links are found in 3 s.
  mkdirSync(join(folder, 'home/.ssh'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'home/.ssh/config'), 'ServerAliveInterval 1\n');
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

/**
 * PyTorch's DataLoader before the simulated GPU, as `user`, until it is killed. From the home: what this
 * machine's user has may be closed to others.
 */
export function startDataLoader({ name, home }: SshUser): ChildProcess {
  const script = join(home, 'dataloader.py');
  copyFileSync(join(root, 'test/agent/jobs/dataloader.py'), script);
  for (const library of ['libcudart.so.12', 'libcuda.so.1'])
    copyFileSync(standIn(library), join(home, library));
  const words = [
    ...['/usr/bin/python3', script, '--library', join(home, 'libcudart.so.12')],
    ...['--workers', '2', '--persistent', '--epochs', '100000', '--item-sleep-us', '500'],
    ...['--report', join(home, 'report.json')],
  ];
  const as = ['--reuid', name, '--regid', name, '--init-groups', '--reset-env'];
  return spawn('setpriv', [...as, ...words], { cwd: home, stdio: 'ignore' });
}

export async function endJob(job: ChildProcess): Promise<void> {
  if (job.exitCode !== null || job.signalCode !== null) return;
  const ended = once(job, 'exit');
  job.kill('SIGKILL');
  await ended;
}

type Stored = Pick<RunRecord, 'traceFile' | 'agentRun' | 'baseFolder'>;

/** What is written down of a run. */
export function storedRun({ folder }: Pick<RemoteStage, 'folder'>, run: string): Stored {
  return JSON.parse(readFileSync(join(folder, 'remote/runs', run, 'run.json'), 'utf8')) as Stored;
}

/** The trace of a run on its host, which is this machine. */
export function remoteTraceOf(stage: Pick<RemoteStage, 'folder'>, run: string): string {
  return storedRun(stage, run).traceFile;
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
  // A new user has none.
  const made = existsSync(join(home, '.cache')) ? [join(home, '.cache')] : [];
  return [...folders, ...made, ...agents];
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

/** Whether the agent keeps notes of a run for root. */
export function hasRootNotes(agentRun: string): boolean {
  return namesIn('/run/stalltrace').some(
    (name) => name === agentRun || recordedIn(join('/run/stalltrace', name)) === agentRun,
  );
}

function recordedIn(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).run_id;
  } catch {
    return undefined;
  }
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
