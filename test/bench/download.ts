import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { fetchTrace } from '../../src-main/remote/transfer/fetch-trace.ts';
import { LARGEST_CAPTURE_BYTES } from '../../src-main/shared/remote/capture-request.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { root } from '../support/built.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { startSlowLink } from '../support/remote/slow-link.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createTraceUser, openTraceSession, type TraceUser } from '../support/remote/trace-host.ts';
import { repeatTrace } from './traces/repeat-trace.ts';

/**
 * Bringing a trace of 500 MB back from a real sshd of this machine, against `scp` and `rsync -z`: from
 * the begin of signing in until the file has its name; ours with every frame and the whole proved by
 * SHA-256, and flushed to the disk, which the others don't. Interleaved, medians, MB/s of the trace's
 * own bytes. At 0 ms directly, else through a proxy that delays each way by half the round trip.
 *
 * `node test/bench/download.ts [--rtt 0,40,150] [--rounds 3] [--trace simulated|random] [--mbit N]
 * [--only ours]`; in parentheses CPU seconds here + on the host
 */

const { values } = parseArgs({
  options: {
    rtt: { type: 'string', default: '0,40,150' },
    rounds: { type: 'string', default: '3' },
    trace: { type: 'string', default: 'simulated' },
    mbit: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const rounds = Number(values.rounds);
const rttsMs = values.rtt.split(',').map(Number);

const SIZE = 500e6;
/** Of numbers at random, which compress to half at best. */
const RANDOM_EVENTS = 18_600_000;

/** A simulated training run over and over, about as compressible as what the agent records. */
function simulatedTrace(): string {
  const folder = join(tmpdir(), 'stalltrace-bench');
  const path = join(folder, 'simulated-500.trace.db');
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
  const opened = openTrace(sample, { scratchDir: folder, importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  const write = (times: number) => {
    const written = writeTraceFile(path, repeatTrace(opened.value, times));
    if (!written.ok) throw new Error(written.error.message);
    return statSync(path).size;
  };
  const [ten, twenty] = [10, 20].map((times) => {
    const size = write(times);
    rmSync(path);
    return size;
  }) as [number, number];
  write(10 + Math.ceil((10 * (SIZE - ten)) / (twenty - ten)));
  return path;
}

interface Case {
  readonly host: SshHost;
  readonly user: TraceUser;
  readonly port: number;
  readonly file: string;
  /** Empty. */
  readonly folder: string;
}

/** Neither the user's configuration nor a question. */
function sshOptions({ user, folder }: Case): string[] {
  const known = `UserKnownHostsFile=${join(dirname(folder), 'known')}`;
  const options = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR', known];
  return ['-F', 'none', '-i', user.key.file, ...options.flatMap((option) => ['-o', option])];
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} failed`);
}

const ways = {
  async ours({ host, user, port, file, folder }: Case): Promise<void> {
    const session = await openTraceSession(host, user, { port });
    try {
      const signal = new AbortController().signal;
      const fetched = await fetchTrace(session, {
        remoteFile: file,
        folder,
        mostBytes: LARGEST_CAPTURE_BYTES,
        signal,
        onProgress() {},
      });
      if (!fetched.ok) throw new Error(fetched.error.message);
    } finally {
      session.link.close();
    }
  },
  async scp(one: Case): Promise<void> {
    const from = `${one.user.name}@127.0.0.1:${one.file}`;
    await run('scp', ['-q', '-P', String(one.port), ...sshOptions(one), from, one.folder]);
  },
  async 'rsync -z'(one: Case): Promise<void> {
    const shell = `ssh -p ${one.port} ${sshOptions(one).join(' ')}`;
    const from = `${one.user.name}@127.0.0.1:${one.file}`;
    await run('rsync', ['-z', '-e', shell, from, `${one.folder}/`]);
  },
};
type Way = keyof typeof ways;
const wanted = Object.keys(ways).filter((way) => values.only?.includes(way) ?? true) as Way[];

interface Measured {
  readonly mbPerS: number;
  /** CPU time of sshd and what it started. */
  readonly hostCpuS: number;
  /** That of this process, its threads, and what it started. */
  readonly hereCpuS: number;
}

/** Of a process and its threads; with those of its children that it has waited for. */
function cpuS(pid: number, fields: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // In ticks, 100 a second on every Linux there is.
  return fields.reduce((sum, field) => sum + Number(stat[field]), 0) / 100;
}
/** Of proc_pid_stat(5), counted from its third: utime, stime, cutime, cstime. */
const OWN = [11, 12];
const WITH_CHILDREN = [...OWN, 13, 14];

/** Looks on, since sshd does not wait for all that it starts. */
function watchCpu(host: SshHost): { stop(): number } {
  const usedS = new Map<number, number>();
  const look = () => {
    for (const pid of host.processes()) {
      try {
        usedS.set(pid, cpuS(pid, OWN));
      } catch {
        // It has just ended.
      }
    }
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      look();
      clearInterval(timer);
      return [...usedS.values()].reduce((sum, used) => sum + used, 0);
    },
  };
}

async function measure(way: Way, one: Omit<Case, 'folder'>, scratch: string): Promise<Measured> {
  const folder = join(scratch, 'here');
  mkdirSync(folder);
  const before = cpuS(process.pid, WITH_CHILDREN);
  const host = watchCpu(one.host);
  const begunMs = performance.now();
  await ways[way]({ ...one, folder });
  const tookMs = performance.now() - begunMs;
  const hostCpuS = host.stop();
  const hereCpuS = cpuS(process.pid, WITH_CHILDREN) - before;
  rmSync(folder, { recursive: true });
  return { mbPerS: statSync(one.file).size / 1000 / tookMs, hereCpuS, hostCpuS };
}

const file = values.trace === 'random' ? largeTrace(RANDOM_EVENTS) : simulatedTrace();
chmodSync(file, 0o644);
const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-download-'));
const host = await startSshHost({ config: ['Subsystem sftp internal-sftp'] });
const user = await createTraceUser(scratch);
const link = await startSlowLink({ toPort: host.port });
try {
  console.log(`${(statSync(file).size / 1e6).toFixed(0)} MB (${values.trace}), MB/s:`);
  for (const rttMs of rttsMs) {
    const rate = values.mbit === undefined ? {} : { bytesPerSecond: Number(values.mbit) * 125_000 };
    await link.set({ oneWayDelayMs: rttMs / 2, ...rate });
    const isDirect = rttMs === 0 && values.mbit === undefined;
    const one = { host, user, file, port: isDirect ? host.port : link.port };
    const all: Record<Way, Measured[]> = { ours: [], scp: [], 'rsync -z': [] };
    for (let round = 0; round < rounds; round++)
      for (const way of wanted) all[way].push(await measure(way, one, scratch));
    const middle = (way: Way, what: keyof Measured = 'mbPerS') =>
      median(all[way].map((measured) => measured[what]));
    const told = wanted.map((way) => {
      const [here, there] = [middle(way, 'hereCpuS'), middle(way, 'hostCpuS')];
      return `${way} ${middle(way).toFixed(1)} (CPU ${here.toFixed(2)} + ${there.toFixed(2)} s)`;
    });
    const times = (way: Way) => (middle('ours') / middle(way)).toFixed(2);
    if (values.only !== undefined) {
      console.log(`round trip ${rttMs} ms: ${told.join(', ')}`);
      continue;
    }
    const ratios = `${times('scp')} × scp, ${times('rsync -z')} × rsync -z`;
    console.log(`round trip ${rttMs} ms: ${told.join(', ')}; ours is ${ratios}`);
  }
} finally {
  await link.close();
  await host.stop();
  await user.remove();
  rmSync(scratch, { recursive: true, force: true });
}
