import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agentPath,
  buildStandIn,
  event,
  type Recording,
  runAgent,
  standIn,
} from '../support/agent/agent-run.ts';
import { countBpfRunTime } from '../support/agent/bpf-run-time.ts';
import { median } from '../support/median.ts';

/**
 * What the agent costs where much happens: context switches as fast as the machine makes them, calls
 * of one function in a loop, launches at 100,000 a second; its size and its start.
 */

const ROUNDS = 7;
const CALLS = 200_000;
const SWITCH_SECONDS = 5;
const LAUNCHES_PER_SECOND = 100_000;

interface Finished {
  readonly events: number;
  readonly bytes: number;
  readonly length_ns: number;
  readonly drops: Readonly<Record<string, number>>;
  readonly costs: {
    readonly start_up_ns: number;
    readonly agent_cpu_ns: number;
    readonly bpf_run_ns: number;
    readonly bpf_runs: number;
  };
}

/** Largest memory use of a process so far, MB. */
function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function recorded(
  command: readonly string[],
): Promise<{ readonly run: Recording; readonly finished: Finished; readonly peak: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
  let peak = 0;
  try {
    const run = await runAgent(command, {
      folder,
      meanwhile: async ({ agent }) => {
        while (agent.exitCode === null) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          try {
            peak = Math.max(peak, peakMemory(agent.pid));
          } catch {
            return;
          }
        }
      },
    });
    if (run.code !== 0) throw new Error(run.stderr);
    const report = run.report();
    const finished = event(run, 'finished') as unknown as Finished;
    return { run: { ...run, report: () => report }, finished, peak };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function alone(command: readonly string[]): unknown {
  const [program = '', ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function dropped({ drops }: Finished): number {
  return Object.values(drops).reduce((sum, count) => sum + count, 0);
}

async function measureSwitches(): Promise<void> {
  const command = [standIn('switches'), String(SWITCH_SECONDS), '2'];
  const { switches: bare } = alone(command) as { switches: number };
  const { run, finished, peak } = await recorded(command);
  const { switches } = run.report() as { switches: number };
  const seconds = finished.length_ns / 1e9;
  console.log(
    `switches: ${Math.round(switches / SWITCH_SECONDS).toLocaleString('en')}/s recorded ` +
      `(${Math.round(bare / SWITCH_SECONDS).toLocaleString('en')}/s alone), ${Math.round(finished.events / seconds).toLocaleString('en')} events/s, ` +
      `${dropped(finished)} dropped, ${(finished.bytes / finished.events).toFixed(1)} bytes/event, ` +
      `agent ${(finished.costs.agent_cpu_ns / finished.length_ns).toFixed(2)} CPUs, ${peak.toFixed(0)} MB`,
  );
}

async function measureCalls(): Promise<void> {
  const command = [standIn('calls'), 'time', String(CALLS)];
  const perCall = (report: unknown) => (report as { ns: number }).ns / CALLS;
  const bare: number[] = [];
  const probed: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(perCall(alone(command)));
    probed.push(perCall((await recorded(command)).run.report()));
  }
  const [a, b] = [median(probed), median(bare)];
  console.log(
    `one call: ${a.toFixed(0)} ns probed, ${b.toFixed(0)} ns bare: ${(a - b).toFixed(0)} ns more`,
  );
}

async function measureLaunches(): Promise<void> {
  const command = [standIn('calls'), 'launches', String(LAUNCHES_PER_SECOND), '3'];
  const rate = (report: unknown) => {
    const { launches, ns } = report as { launches: number; ns: number };
    return launches / (ns / 1e9);
  };
  const bare = rate(alone(command));
  const { run, finished } = await recorded(command);
  console.log(
    `launch-bound loop: ${rate(run.report()).toFixed(0)}/s recorded, ${bare.toFixed(0)}/s alone, ` +
      `${dropped(finished)} dropped, BPF ${(finished.costs.bpf_run_ns / finished.costs.bpf_runs).toFixed(0)} ns a run, ` +
      `agent ${((100 * finished.costs.agent_cpu_ns) / finished.length_ns).toFixed(1)} % of a CPU`,
  );
}

async function measureStart(): Promise<void> {
  const ms: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { finished, peak } = await recorded([
      '/bin/sh',
      '-c',
      // It does nothing: what is measured is the start.
      'sleep 0.3; echo {} >"$JOB_REPORT"',
    ]);
    ms.push(finished.costs.start_up_ns / 1e6);
    memory.push(peak);
  }
  const megabytes = statSync(agentPath).size / 1e6;
  console.log(
    `binary ${megabytes.toFixed(2)} MB, start-up ${median(ms).toFixed(0)} ms, idle memory ${median(memory).toFixed(0)} MB`,
  );
}

buildStandIn();
countBpfRunTime();
await measureStart();
await measureCalls();
await measureLaunches();
await measureSwitches();
