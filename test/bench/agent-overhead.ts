import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../simulation/random.ts';
import { agentPath, buildStandIn, cudart, standIn, value } from '../support/agent/agent-run.ts';
import { countBpfRunTime } from '../support/agent/bpf-run-time.ts';
import { changeInterval, percent } from '../support/bootstrap.ts';
import { root } from '../support/built.ts';
import { median } from '../support/median.ts';

/**
 * How much slower PyTorch's DataLoader becomes under the agent's default profile, beside perf and
 * bpftrace recording the scheduler and the same copies. Rounds of all four in random order; the CPU
 * time of strangers in each run is logged, and runs with much of it are left out by a fixed rule.
 *
 *   node test/bench/agent-overhead.ts --rounds 12 --seed 1
 *   node test/bench/agent-overhead.ts --profiles    the opt-in profiles instead of the peers
 *   node test/bench/agent-overhead.ts --tiers       what a capture is made from where BPF is refused, beside the peers
 *
 * A long job (`--epochs 40`) tells what a recording costs while it lasts: of a short one its begin and its end are most.
 * `--only NAME` (again and again) leaves the others out.
 *
 * The job calls CUDA through a library that imports it, as PyTorch's do. A recorder of ours that should see calls and has none,
 * or has lost some of anything, is told of.
 */

/** Runs in which strangers had more than this of all CPUs are not counted. */
const FOREIGN_LIMIT = 0.04;
const JOB = ['--workers', '4', '--items', '4096', '--features', '8192'];
const JOB_ITEM = ['--item-cpu-us', '60'];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    profiles: { type: 'boolean', default: false },
    tiers: { type: 'boolean', default: false },
    epochs: { type: 'string', default: '6' },
    only: { type: 'string', multiple: true },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
const report = join(folder, 'report.json');
const trace = join(folder, 'trace');
const events = join(folder, 'events');
const job = [
  ...['/usr/bin/python3', join(root, 'test/agent/jobs/dataloader.py'), '--imported'],
  ...['--library', standIn('libimported.so'), '--report', report, ...JOB, ...JOB_ITEM],
  ...['--epochs', values.epochs],
];
const perfEvents = ['switch', 'waking', 'process_fork', 'process_exec', 'process_exit'].map(
  (name) => `sched:sched_${name}`,
);
const program = `
tracepoint:sched:sched_switch { printf("%llu %d %s %d %d\\n", nsecs, args->prev_pid, args->prev_comm, args->prev_state, args->next_pid); }
tracepoint:sched:sched_waking { printf("%llu %d %d\\n", nsecs, tid, args->pid); }
uprobe:${cudart}:cudaMemcpyAsync, uprobe:${cudart}:cudaStreamSynchronize { @begin[tid] = nsecs; }
uretprobe:${cudart}:cudaMemcpyAsync, uretprobe:${cudart}:cudaStreamSynchronize /@begin[tid]/ {
  printf("%llu %d %llu\\n", nsecs, tid, nsecs - @begin[tid]); delete(@begin[tid]); }
profile:hz:49 { @samples[tid] = count(); }`;

const ours = [agentPath, 'record', '--json', '--out', trace];
const profiles: Record<string, readonly string[]> = Object.fromEntries(
  ['faults', 'page-allocs', 'syscalls', 'off-cpu-stacks'].map((name) => [
    name,
    [...ours, '--profile', name, '--'],
  ]),
);
const withoutBpf = [...ours, '--no-bpf'];
const tiers: Record<string, readonly string[]> = {
  'BPF alone': [...ours, '--no-inside', '--'],
  'from inside, perf, Python': [...withoutBpf, '--'],
  'from inside without GPU records, perf, Python': [...withoutBpf, '--gpu-records', 'none', '--'],
  'from inside without CUPTI, perf, Python': [...withoutBpf, '--no-cupti', '--'],
  'from inside, /proc, Python': [...withoutBpf, '--pretend-missing', 'perf_switch', '--'],
  'perf, Python': [...withoutBpf, '--no-inside', '--'],
  '/proc alone': [...withoutBpf, '--no-inside', '--pretend-missing', 'perf_switch,python', '--'],
};
/** What sees no CUDA call. */
const BLIND = ['perf, Python', '/proc alone'];
const peers: Record<string, readonly string[]> = {
  'perf, context switches': [
    'perf',
    'record',
    '-q',
    '-o',
    trace,
    '-e',
    'context-switches',
    '-c',
    '1',
    '--',
  ],
  perf: [
    ...[
      'perf',
      'record',
      '-q',
      '-o',
      trace,
      '-e',
      perfEvents.join(),
      '-e',
      'cpu-clock',
      '-F',
      '49',
    ],
    '--',
  ],
  bpftrace: ['bpftrace', '-q', '-o', trace, '-e', program, '-c'],
};

const recorders: Record<string, readonly string[]> = {
  none: [],
  stalltrace: [...ours, '--'],
  ...(values.profiles ? profiles : { ...(values.tiers && tiers), ...peers }),
};

interface Run {
  readonly seconds: number;
  readonly jobCpu: number;
  readonly foreign: number;
  readonly bytes: number;
  readonly costs?: { agent_cpu_ns: number; bpf_run_ns: number };
  /** Of a recorder of ours: how many events of each kind were lost, and the calls of CUDA that it stored. */
  readonly drops?: Readonly<Record<string, number>>;
  readonly calls?: number;
}

/** CPU seconds of the whole machine since its start: busy, and all. */
function machineCpu(): readonly [number, number] {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '';
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0] = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) / 100);
  const busy = user + nice + system + irq + softirq;
  return [busy, busy + idle + iowait];
}

/** What the shell's `times` says of all its children: CPU seconds. */
function childrenCpu(text: string): number {
  const parts = (text.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g);
  return [...parts].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
}

function runOnce(recorder: string): Run {
  for (const file of [trace, report, events]) rmSync(file, { force: true });
  const before = recorders[recorder] ?? [];
  const command = recorder === 'bpftrace' ? [job.join(' ')] : job;
  const cpuFile = join(folder, 'cpu');
  const [busyBefore, allBefore] = machineCpu();
  const { status, stderr } = spawnSync(
    'bash',
    [
      '-c',
      `cpu=$1 events=$2; shift 2; "$@" >"$events"; code=$?; times >"$cpu"; exit $code`,
      'bash',
      cpuFile,
      events,
      ...before,
      ...command,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${recorder}: ${stderr}`);
  const [busy, all] = machineCpu();
  const own = childrenCpu(readFileSync(cpuFile, 'utf8'));
  const { seconds, cpuSeconds } = JSON.parse(readFileSync(report, 'utf8'));
  const isOurs = before[0] === agentPath;
  const lines = isOurs ? readFileSync(events, 'utf8').trim().split('\n') : [];
  const finished = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'finished');
  return {
    seconds,
    jobCpu: cpuSeconds,
    foreign: Math.max(0, busy - busyBefore - own) / (all - allBefore),
    bytes: existsSync(trace) ? statSync(trace).size : 0,
    costs: finished?.costs,
    drops: finished?.drops,
    ...(isOurs && { calls: Number(value(trace, 'SELECT count(*) FROM cuda_call')) }),
  };
}

function mountTracefs(): void {
  if (existsSync('/sys/kernel/tracing/events')) return;
  spawnSync('mount', ['-t', 'tracefs', 'tracefs', '/sys/kernel/tracing']);
}

function describeRuns(name: string, runs: readonly Run[], base: readonly Run[]): void {
  const clean = (all: readonly Run[]) => all.filter(({ foreign }) => foreign <= FOREIGN_LIMIT);
  const seconds = (all: readonly Run[]) => clean(all).map((run) => run.seconds);
  const [mine, others] = [seconds(runs), seconds(base)];
  if (mine.length === 0 || others.length === 0) {
    console.log(`${name}: no run without strangers on the CPUs`);
    return;
  }
  const [low, high] = changeInterval(mine, others);
  const change = median(mine) / median(others) - 1;
  const bytes = median(runs.map((run) => run.bytes)) / 1e6;
  const [{ calls }] = runs as [Run];
  const lossy = runs.filter(({ drops = {} }) => Object.keys(drops).length > 0).length;
  if (calls === 0 && !BLIND.includes(name)) throw new Error(`${name} recorded no CUDA call`);
  const share = (key: 'agent_cpu_ns' | 'bpf_run_ns') =>
    percent(median(runs.map(({ costs, jobCpu }) => (costs?.[key] ?? 0) / 1e9 / jobCpu)));
  const ownFigures =
    calls === undefined
      ? ''
      : `, of the job’s CPU time: agent ${share('agent_cpu_ns')}, BPF programs ${share('bpf_run_ns')}, ${calls} calls stored; runs with drops: ${lossy}`;
  console.log(
    `${name}: ${median(mine).toFixed(3)} s, ${percent(change)} (95 % ${percent(low)} to ${percent(high)}), ` +
      `${mine.length} of ${runs.length} runs counted, ${bytes.toFixed(1)} MB${ownFigures}`,
  );
}

buildStandIn();
countBpfRunTime();
mountTracefs();
const random = createRandom(Number(values.seed));
const { only } = values;
const names = Object.keys(recorders).filter(
  (name) => name === 'none' || only === undefined || only.includes(name),
);
const runs = new Map<string, Run[]>(names.map((name) => [name, []]));
runOnce('none');
for (let round = 0; round < Number(values.rounds); round++) {
  const order = [...names];
  for (let at = order.length - 1; at > 0; at--) {
    const other = random(0, at);
    [order[at], order[other]] = [order[other] ?? '', order[at] ?? ''];
  }
  for (const name of order) {
    const run = runOnce(name);
    runs.get(name)?.push(run);
    console.error(
      `round ${round} ${name}: ${run.seconds.toFixed(3)} s, strangers ${(100 * run.foreign).toFixed(1)} %`,
    );
  }
}
const base = runs.get('none') ?? [];
for (const name of names) describeRuns(name, runs.get(name) ?? [], base);
rmSync(folder, { recursive: true });
