import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStandIn, event, runAgent, standIn, value } from '../support/agent/agent-run.ts';
import { median } from '../support/median.ts';

/**
 * What the library inside costs a job, against the stand-ins: CPU time of a call (a copy, with what the
 * kernel charged to its thread; a launch, without), of one thread and of 64; bytes of a call; launches at
 * 100,000 a second. Beside it the same calls probed with BPF, and alone; in turns.
 */

const ROUNDS = 5;
const CALLS = 200_000;
const LAUNCHES_PER_SECOND = 100_000;
/** So short that the stand-in's GPU keeps up with calls in a loop. */
const env = { STALLTRACE_STAND_IN_KERNEL_US: '0.05' };

const ways = {
  alone: undefined,
  'inside, without CUPTI': ['--no-bpf', '--inside', '--no-cupti'],
  'inside, no GPU records': ['--no-bpf', '--inside', '--gpu-records', 'none'],
  'inside, GPU records': ['--no-bpf', '--inside'],
  'inside, GPU records, beside BPF': [],
  BPF: ['--no-inside'],
} satisfies Record<string, readonly string[] | undefined>;

interface Run {
  readonly report: { readonly calls: number; readonly cpu_ns: number; readonly launches: number };
  readonly rows: number;
  readonly bytes: number;
  readonly drops: Readonly<Record<string, number>>;
  readonly agentCpuNs: number;
}

function runAlone(command: readonly string[]): Run {
  const [program = '', ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(stderr);
  return { report: JSON.parse(stdout), rows: 0, bytes: 0, drops: {}, agentCpuNs: 0 };
}

async function run(command: readonly string[], args: readonly string[] | undefined): Promise<Run> {
  if (args === undefined) return runAlone(command);
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
  try {
    const recording = await runAgent(command, { folder, args, env });
    if (recording.code !== 0) throw new Error(recording.stderr);
    const finished = event(recording, 'finished') as unknown as {
      readonly bytes: number;
      readonly drops: Readonly<Record<string, number>>;
      readonly costs: { readonly agent_cpu_ns: number };
    };
    const rows = value(recording.file, 'SELECT (SELECT count(*) FROM cuda_call)');
    return {
      report: recording.report() as Run['report'],
      rows: Number(rows),
      bytes: finished.bytes,
      drops: finished.drops,
      agentCpuNs: finished.costs.agent_cpu_ns,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureCalls(what: 'copies' | 'launches', threads: number): Promise<void> {
  const command = [standIn('calls'), 'time', String(CALLS), what, String(threads)];
  const runs = new Map<string, Run[]>(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of Object.entries(ways)) {
      runs.get(name)?.push(await run(command, args));
    }
  const cpu = (name: string) =>
    median((runs.get(name) ?? []).map(({ report }) => report.cpu_ns / report.calls));
  for (const name of Object.keys(ways).slice(1)) {
    const [last] = runs.get(name) ?? [];
    const bytes = last === undefined ? 0 : last.bytes / CALLS;
    const agent = last === undefined ? 0 : last.agentCpuNs / CALLS;
    const lost = Object.values(last?.drops ?? {}).reduce((sum, count) => sum + count, 0);
    console.log(
      `${what}, ${threads} thread${threads > 1 ? 's' : ''}, ${name}: ${(cpu(name) - cpu('alone')).toFixed(0)} ns ` +
        `of CPU time more a call; file ${bytes.toFixed(1)} bytes a call; agent ${agent.toFixed(0)} ns a call; ${lost} lost`,
    );
  }
}

async function measureLaunches(): Promise<void> {
  const command = [standIn('calls'), 'launches', String(LAUNCHES_PER_SECOND), '3'];
  const { report, drops, agentCpuNs } = await run(command, ways['inside, GPU records']);
  console.log(
    `launches at ${LAUNCHES_PER_SECOND.toLocaleString('en')}/s for 3 s: ${report.launches.toLocaleString('en')} made, ` +
      `${JSON.stringify(drops)} lost, agent ${(agentCpuNs / 3e9).toFixed(2)} CPUs`,
  );
}

buildStandIn();
for (const threads of [1, 64]) {
  await measureCalls('copies', threads);
  await measureCalls('launches', threads);
}
await measureLaunches();
