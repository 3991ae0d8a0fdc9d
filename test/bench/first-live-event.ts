import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import {
  type CaptureRequest,
  defaultCapture,
} from '../../src-main/shared/remote/capture-request.ts';
import type { LiveFigures } from '../../src-main/shared/remote/run.ts';
import { agentPath, buildStandIn, standIn } from '../support/agent/agent-run.ts';
import { answerOf } from '../support/fork-library.ts';
import { median } from '../support/median.ts';
import { newConnection, type RemoteProcess } from '../support/remote/remote-process.ts';
import {
  createRemoteStage,
  endJob,
  leftOnHost,
  type RemoteStage,
} from '../support/remote/remote-stage.ts';
import { type SlowLink, startSlowLink } from '../support/remote/slow-link.ts';

/**
 * From a click to the first live figures of a capture on a host, and, of a job that is launched and recorded from inside, to
 * the first CUDA call among them: from Connect, and from Start; on a host that has nothing of ours (cold) and one that keeps
 * the agent (warm). Beside it what a person does by
 * hand in a shell: `ssh host true`, and scp of the agent, chmod, and `ssh host sudo agent record`, to its
 * first line of progress. Medians of interleaved rounds, without and with 40 ms of round trip.
 */

const ROUNDS = 3;

interface Times {
  readonly connectMs: number;
  readonly startMs: number;
}

interface Bench {
  readonly stage: RemoteStage;
  readonly road: SlowLink;
  readonly app: RemoteProcess;
  readonly pid: number;
}

/** What is captured, and what has to be seen of it. */
interface What {
  readonly request: Pick<CaptureRequest, 'mode' | 'target'>;
  readonly isSeen: (live: LiveFigures) => boolean;
}

const running = ({ pid }: Bench): What => ({
  request: { mode: 'full', target: { kind: 'processes', pids: [pid] } },
  isSeen: () => true,
});

/** A launch each millisecond, from its first on. */
const launched = ({ stage }: Bench): What => ({
  request: {
    mode: 'inside',
    target: {
      kind: 'command',
      line: './calls until stop',
      folder: '~',
      environment: [`LD_LIBRARY_PATH=${stage.user.home}`],
    },
  },
  isSeen: ({ rows }) => (rows.cuda_call ?? 0) > 0,
});
const JOB_FILES = ['calls', 'libcudart.so.12', 'libcupti.so.12'];

/** As the screen does it: connect, look at the host, list its processes, start. */
async function ours(
  { stage, road, app }: Bench,
  { request, isSeen }: What,
  keepAgent: boolean,
): Promise<Times> {
  const connection = newConnection();
  const clicked = performance.now();
  answerOf(await app.call('connect', { connection, target: stage.target({ port: road.port }) }));
  const { mode } = answerOf(await app.call('preflight', { connection }));
  if (request.mode === 'full' && mode !== 'full')
    throw new Error(`only ${mode} captures are possible here`);
  answerOf(await app.call('processes', { connection }));
  const stop = join(stage.user.home, 'stop');
  rmSync(stop, { force: true });
  const startClicked = performance.now();
  const run = answerOf(
    await app.call('start', { connection, request: { ...defaultCapture, ...request, keepAgent } }),
  );
  for (;;) {
    const last = app.lastOf(run.id);
    if (last?.live !== undefined && isSeen(last.live)) break;
    if (last?.phase === 'recorded') throw new Error('the capture has ended');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const seen = performance.now();
  answerOf(await app.call('abandon', { run: run.id }));
  // What was launched goes on without the capture.
  writeFileSync(stop, '');
  if (!keepAgent) answerOf(await app.call('cleanUp', { connection }));
  answerOf(await app.call('disconnect', { connection }));
  return { connectMs: seen - clicked, startMs: seen - startClicked };
}

function sshWords({ stage }: Bench): string[] {
  const quiet = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  return ['-q', '-F', 'none', '-i', stage.key.file, ...quiet];
}

function login(bench: Bench): number {
  const start = performance.now();
  const { user } = bench.stage;
  const to = ['-p', `${bench.road.port}`, `${user.name}@127.0.0.1`];
  execFileSync('ssh', [...sshWords(bench), ...to, 'true'], { stdio: 'pipe' });
  return performance.now() - start;
}

/** `scp` (as scp -O, which needs no SFTP on the host) and `ssh … record`, one after the other. */
async function byHand(bench: Bench): Promise<number> {
  const { stage, road, pid } = bench;
  const to = `${stage.user.name}@127.0.0.1`;
  const start = performance.now();
  const copy = ['-O', '-P', `${road.port}`, agentPath, `${to}:by-hand-agent`];
  execFileSync('scp', [...sshWords(bench), ...copy], { stdio: 'pipe' });
  const record = `chmod 700 by-hand-agent && sudo ./by-hand-agent record --json --duration 1s --pid ${pid} --out by-hand.db`;
  const child = spawn('ssh', [...sshWords(bench), '-p', `${road.port}`, to, record], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  let said = '';
  let seen: number | undefined;
  for await (const data of child.stdout) {
    said += String(data);
    if (/"event": ?"progress"/.test(said)) seen ??= performance.now();
  }
  await ended;
  for (const name of ['by-hand-agent', 'by-hand.db'])
    rmSync(`${stage.user.home}/${name}`, { force: true });
  if (seen === undefined) throw new Error(`by hand it said: ${said}`);
  return seen - start;
}

async function measure(bench: Bench, oneWayDelayMs: number): Promise<void> {
  await bench.road.set({ oneWayDelayMs });
  const times = {
    cold: [] as Times[],
    warm: [] as Times[],
    coldCall: [] as Times[],
    warmCall: [] as Times[],
    ssh: [] as number[],
    hand: [] as number[],
  };
  for (let round = 0; round < ROUNDS; round++) {
    times.cold.push(await ours(bench, running(bench), false));
    const left = leftOnHost(bench.stage.user);
    if (left.length > 0) throw new Error(`left on the host: ${left.join(', ')}`);
    times.hand.push(await byHand(bench));
    times.coldCall.push(await ours(bench, launched(bench), false));
    await ours(bench, running(bench), true);
    times.warm.push(await ours(bench, running(bench), true));
    times.warmCall.push(await ours(bench, launched(bench), true));
    times.ssh.push(login(bench));
    await ours(bench, running(bench), false);
  }
  const hand = median(times.hand);
  const of = (all: readonly Times[], key: keyof Times) => median(all.map((each) => each[key]));
  const line = (what: string, ms: number) =>
    `  ${what.padEnd(34)} ${ms.toFixed(0).padStart(6)} ms  ${(ms / hand).toFixed(2)} of by hand`;
  console.log(
    [
      `first live figures, ${2 * oneWayDelayMs} ms round trip, medians of ${ROUNDS}:`,
      line('cold, from Connect', of(times.cold, 'connectMs')),
      line('cold, from Start', of(times.cold, 'startMs')),
      line('warm, from Connect', of(times.warm, 'connectMs')),
      line('warm, from Start', of(times.warm, 'startMs')),
      line('first call, cold, from Start', of(times.coldCall, 'startMs')),
      line('first call, warm, from Start', of(times.warmCall, 'startMs')),
      line('peer: ssh host true', median(times.ssh)),
      line('peer: scp + ssh agent record', hand),
      '  bytes left on the host after each cold one: 0',
    ].join('\n'),
  );
}

async function main(): Promise<void> {
  buildStandIn();
  const stage = await createRemoteStage();
  const job: ChildProcess = spawn(standIn('account'), ['100000'], { stdio: 'ignore' });
  for (const name of JOB_FILES) copyFileSync(standIn(name), join(stage.user.home, name));
  const road = await startSlowLink({ toPort: stage.host.port });
  try {
    const bench = { stage, road, app: stage.startApp(), pid: job.pid ?? 0 };
    for (const oneWayDelayMs of [0, 20]) await measure(bench, oneWayDelayMs);
  } finally {
    await endJob(job);
    await stage.remove();
    await road.close();
  }
}

await main();
