import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentPath, buildStandIn, cudart, standIn } from '../support/agent/agent-run.ts';
import { changeInterval, percent } from '../support/bootstrap.ts';
import { root } from '../support/built.ts';
import { median } from '../support/median.ts';

/**
 * What it costs a job that each of its switches is recorded: CPU time of a switch between two threads that do
 * nothing else, and how much longer PyTorch's DataLoader takes. By perf events, without rights; by samples of
 * /proc; with BPF, with stacks of long waits and with all; beside `perf record` of the same switches. In turns. The
 * same of two processes of Python, whose stacks take longer.
 *
 *   node test/bench/switch-cost.ts --rounds 9
 */

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const ROUNDS = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
const [trace, report] = [join(folder, 'trace'), join(folder, 'report.json')];

const ours = [agentPath, 'record', '--json', '--no-inside', '--out', trace];
const ways: Record<string, readonly string[]> = {
  alone: [],
  'by perf events': [...ours, '--no-bpf', '--'],
  '/proc': [...ours, '--no-bpf', '--pretend-missing', 'perf_switch', '--'],
  BPF: [...ours, '--samples', '0', '--'],
  'BPF, all stacks': [...ours, '--samples', '0', '--profile', 'off-cpu-stacks', '--'],
  'perf record': ['perf', 'record', '-q', '--switch-events', '-e', 'dummy:u', '-o', trace, '--'],
};

interface Run {
  readonly report: Readonly<Record<string, number>>;
  readonly agentCpuNs: number;
  readonly lost: number;
}

function run(way: string, command: readonly string[]): Run {
  for (const file of [trace, report]) rmSync(file, { force: true });
  const [program = '', ...args] = [...(ways[way] ?? []), ...command];
  const env = { ...process.env, JOB_REPORT: report };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${way}: ${stderr}`);
  const finished = stdout
    .split('\n')
    .filter((line) => line.includes('"finished"'))
    .map((line) => JSON.parse(line))[0];
  const drops = Object.values((finished?.drops ?? {}) as Record<string, number>);
  return {
    report: JSON.parse(readFileSync(report, 'utf8')),
    agentCpuNs: finished?.costs.agent_cpu_ns ?? 0,
    lost: drops.reduce((sum, count) => sum + count, 0),
  };
}

function inTurns(command: readonly string[]): Map<string, Run[]> {
  const runs = new Map<string, Run[]>(Object.keys(ways).map((way) => [way, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [way, all] of runs) all.push(run(way, command));
  return runs;
}

const each = (runs: readonly Run[], of: (run: Run) => number) => runs.map(of);

function measurePingPong(of: string, command: readonly string[]): void {
  const runs = inTurns(command);
  const perSwitch = ({ report }: Run) => (report.cpu_ns ?? 0) / (report.switches ?? 1);
  const alone = median(each(runs.get('alone') ?? [], perSwitch));
  for (const [way, all] of runs) {
    const ns = median(each(all, perSwitch));
    const agent = median(each(all, (one) => one.agentCpuNs / (one.report.switches ?? 1)));
    const rate = median(each(all, ({ report }) => (report.switches ?? 0) / 2));
    const lost = all.reduce((sum, one) => sum + one.lost, 0);
    console.log(
      `a switch ${of}, ${way}: ${ns.toFixed(0)} ns of CPU time (${(ns - alone).toFixed(0)} more), ` +
        `${Math.round(rate).toLocaleString('en')}/s, agent ${agent.toFixed(0)} ns a switch, ${lost} lost`,
    );
  }
}

function measureDataLoader(): void {
  const script = join(root, 'test/agent/jobs/dataloader.py');
  const size = ['--workers', '4', '--items', '2048', '--features', '8192', '--epochs', '3'];
  const job = ['/usr/bin/python3', script, '--library', cudart, '--report', report];
  const runs = inTurns([...job, ...size, '--item-cpu-us', '60']);
  const base = runs.get('alone') ?? [];
  for (const figure of ['seconds', 'cpuSeconds'] as const) {
    const of = ({ report }: Run) => report[figure] ?? 0;
    for (const [way, all] of runs) {
      const [mine, others] = [each(all, of), each(base, of)];
      const [low, high] = changeInterval(mine, others);
      console.log(
        `DataLoader, ${figure}, ${way}: ${median(mine).toFixed(3)} s, ` +
          `${percent(median(mine) / median(others) - 1)} (95 % ${percent(low)} to ${percent(high)})`,
      );
    }
  }
}

buildStandIn();
measurePingPong('of threads in C', [standIn('switches'), '2', '1']);
const python = join(root, 'test/bench/python_ping_pong.py');
measurePingPong('of processes in Python', ['taskset', '-c', '0', '/usr/bin/python3', python, '2']);
measureDataLoader();
rmSync(folder, { recursive: true });
