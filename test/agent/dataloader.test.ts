import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { expectWhole, openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import {
  cudart,
  query,
  type Recording,
  STACK_FRAMES,
  standIn,
} from '../support/agent/agent-run.ts';
import {
  type DataLoaderReport,
  dataLoaderCommand,
  dataLoaderScript,
  expectExactCopies,
  expectExactWork,
  expectWorkers,
  PAGEABLE,
  PINNED,
} from '../support/agent/dataloader-job.ts';
import { describeWith } from '../support/requirements.ts';

/** PyTorch's own DataLoader feeding the simulated GPU: test/agent/jobs/dataloader.py. */

const probed = ['--library', cudart];

async function train(
  options: readonly string[],
  args: readonly string[] = probed,
): Promise<[Recording, DataLoaderReport]> {
  const report = join(scratchFolder(), 'job.json');
  const recording = await record(dataLoaderCommand(report, options), { args });
  expect(recording.code, recording.stderr).toBe(0);
  expectWhole(recording);
  return [recording, JSON.parse(readFileSync(report, 'utf8')) as DataLoaderReport];
}

const SETTINGS = [
  ['no workers, pageable', ['--workers', '0'], PAGEABLE],
  ['2 workers, pageable', ['--workers', '2', '--epochs', '2'], PAGEABLE],
  ['2 workers, pinned', ['--workers', '2', '--pinned'], PINNED],
  ['4 workers, persistent', ['--workers', '4', '--persistent', '--epochs', '2'], PAGEABLE],
] as const;

describeWith(['agent', 'bpf', 'torch'], 'a DataLoader', () => {
  test.each(SETTINGS)(
    'with %s: every copy, launch and wait, and its workers',
    async (_, options, memory) => {
      const [{ file }, report] = await train(options);
      expectExactCopies(file, report, memory);
      expectWorkers(file, report);
    },
  );

  test('shows which line of Python its workers and its copies were in', async () => {
    const options = ['--workers', '2', '--item-cpu-us', '1000', '--features', '16384'];
    const [{ file }, { workers }] = await train(options);
    const lines = readFileSync(dataLoaderScript, 'utf8').split('\n');
    const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;
    const [sample] = query(
      file,
      `${STACK_FRAMES} SELECT line, count(*) AS n FROM cpu_sample JOIN stack_frame USING (stack_id)
       JOIN thread ON thread.id = thread_id
       WHERE language = 'python' AND symbol LIKE '%burn%' AND file LIKE '%dataloader.py'
         AND tid IN (${workers.join()}) GROUP BY line ORDER BY n DESC LIMIT 1`,
    );
    const loop = lineOf('while time.perf_counter() < end');
    expect([loop, loop + 1]).toContain(sample?.line);
    const copyLines = query(
      file,
      `${STACK_FRAMES} SELECT DISTINCT line FROM cuda_call
       JOIN name ON name.id = op_id JOIN stack_frame USING (stack_id)
       WHERE name.text = 'cudaMemcpyAsync' AND language = 'python' AND symbol LIKE '%transfer_batch%'`,
    ).map(({ line }) => line);
    const copy = lineOf('self.cuda.cudaMemcpyAsync(');
    expect(copyLines).toEqual([copy]);
  });

  test('whose workers wait for the CPU of a stranger is told who it was', async () => {
    const names = ['a', 'b'].map((each) => `rival-${process.pid}-${each}`);
    const report = join(scratchFolder(), 'job.json');
    const options = ['--workers', '2', '--items', '512', '--item-cpu-us', '500'];
    const job = dataLoaderCommand(report, options).join(' ');
    // They stay for as long as the job takes, and no longer.
    const rivals = names
      .map((name, cpu) => `${standIn('spin')} 50 ${cpu} ${name} & rivals="$rivals $!";`)
      .join(' ');
    const recording = await record([
      ...['/bin/sh', '-c'],
      `${rivals} taskset -c 0,1 ${job}; status=$?; kill $rivals; exit $status`,
    ]);
    expect(recording.code, recording.stderr).toBe(0);
    const held = query(
      recording.file,
      `SELECT thread.name AS name FROM on_cpu JOIN thread ON thread.id = thread_id
       WHERE thread.name LIKE 'rival-${process.pid}-%' GROUP BY thread.name
       HAVING sum(on_cpu.duration_ns) > 20e6 ORDER BY name`,
    );
    expect(held.map(({ name }) => name)).toEqual(names);
  });
});

describeWith(['agent', 'bpf', 'torch'], 'a pool of Python processes that feeds no GPU', () => {
  test('is not taken for a DataLoader', async () => {
    const script = [
      'import ctypes, multiprocessing, sys, time',
      'def work(count):',
      '    end = time.monotonic() + 0.4',
      '    while time.monotonic() < end: sum(range(count))',
      'cuda = ctypes.CDLL(sys.argv[1])',
      'cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(4096))',
      'with multiprocessing.Pool(2) as pool: pool.map(work, [100] * 6, chunksize=1)',
    ].join('\n');
    const recording = await record(['/usr/bin/python3', '-c', script, cudart]);
    expect(recording.code, recording.stderr).toBe(0);
    const trace = expectWhole(recording);
    const forked = trace.processes.filter(({ name, parent }) => name === 'python3' && parent >= 0);
    expect(forked.filter(({ role }) => role === 'dataloader-worker')).toEqual([]);
    expect(trace.processes.filter(({ role }) => role === 'main')).toHaveLength(1);
  });
});

describeWith(['agent', 'bpf'], 'a Python that a shell’s script becomes', () => {
  // As pyenv's and conda's `python` are.
  const script = 'a=$(:); b=$(:); exec /usr/bin/python3 -c "import time; time.sleep(0.05)"';

  test.each([[[]], [['--no-bpf']]])('has no workers of the shell’s (%j)', async (args) => {
    const recording = await record(['/bin/bash', '-c', script], { args });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    const roles = query(
      recording.file,
      `SELECT process.name, process.role, thread.role AS thread_role FROM process
       JOIN thread ON process_id = process.id WHERE tid = pid AND (process.id = 1 OR parent_id = 1)`,
    );
    const none = { role: null, thread_role: null };
    expect(roles).toEqual([
      { name: 'python3', ...none },
      { name: 'bash', ...none },
      { name: 'bash', ...none },
    ]);
  });
});

describeWith(['agent', 'torch'], 'a DataLoader, recorded from inside without BPF', () => {
  test('every copy, launch and wait, what the GPU did, and its workers', async () => {
    const options = ['--workers', '2', '--pinned', '--item-cpu-us', '4000'];
    const [{ file }, report] = await train(options, ['--no-bpf', '--inside']);
    const { diagnosis } = diagnose(withRoles(openRecording(file)));
    const slow = diagnosis.findings.find(({ id }) => id === 'slow-getitem');
    // No switch is known, but stacks were read of the workers.
    expect(slow?.sentence, diagnosis.headline).toMatch(/mostly on a CPU, in burn, line \d+\./);
    expect(slow?.confidence).toBe('likely');
    expectExactCopies(file, report, PINNED);
    expectWorkers(file, report);
    expectExactWork(file, report);
  });
});
