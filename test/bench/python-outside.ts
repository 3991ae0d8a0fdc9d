import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentPath, event, runAgent, value } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { median } from '../support/median.ts';

/**
 * What it costs to read Python's stacks from outside: CPU time of the agent with and without it, in turns, on a
 * thread that computes 20 calls deep, on a DataLoader with 4 workers, and on 32 threads of one process.
 */

const ROUNDS = 5;
const SECONDS = 6;
const PYTHON = '/usr/bin/python3';

const compute = (threads: number) => `
import threading, time
end = time.monotonic() + ${SECONDS}
def work():
    value = 0
    while time.monotonic() < end:
        for step in range(20000): value = (value * 31 + step) & 0xFFFF
def deep(calls):
    return deep(calls - 1) if calls else work()
threads = [threading.Thread(target=deep, args=(20,)) for _ in range(${threads})]
for thread in threads: thread.start()
for thread in threads: thread.join()
`;

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
const jobs = {
  'one thread': [PYTHON, '-c', compute(1)],
  'DataLoader, 4 workers': [
    ...[PYTHON, join(root, 'test/agent/jobs/known_shares.py')],
    ...[join(folder, 'sums'), String(SECONDS), '4'],
  ],
  '32 threads': [PYTHON, '-c', compute(32)],
};

/** Share of a CPU, and looks at threads that had run. */
async function run(command: readonly string[], args: readonly string[]) {
  const own = mkdtempSync(join(folder, 'run-'));
  const recording = await runAgent(command, { folder: own, args });
  if (recording.code !== 0) throw new Error(recording.stderr);
  const { costs, length_ns } = event(recording, 'finished') as unknown as {
    readonly length_ns: number;
    readonly costs: { readonly agent_cpu_ns: number; readonly start_up_ns: number };
  };
  const samples = Number(value(recording.file, 'SELECT count(*) FROM cpu_sample'));
  const bytes = Number(
    value(recording.file, 'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'),
  );
  rmSync(own, { recursive: true });
  return { share: costs.agent_cpu_ns / length_ns, cpuNs: costs.agent_cpu_ns, samples, bytes };
}

try {
  console.log(agentPath);
  for (const [name, command] of Object.entries(jobs)) {
    const [without, withIt]: Awaited<ReturnType<typeof run>>[][] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await run(command, ['--no-bpf', '--no-inside', '--samples', '0']));
      withIt.push(await run(command, ['--no-bpf', '--no-inside']));
    }
    const of = (runs: typeof without, key: keyof (typeof without)[number]) =>
      median(runs.map((each) => each[key]));
    const moreNs = of(withIt, 'cpuNs') - of(without, 'cpuNs');
    console.log(
      `${name}: the agent took ${(100 * of(without, 'share')).toFixed(2)} % of a CPU without, ` +
        `${(100 * of(withIt, 'share')).toFixed(2)} % with; ${of(withIt, 'samples')} samples, ` +
        `${(moreNs / 1e3 / of(withIt, 'samples')).toFixed(0)} µs for each`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
