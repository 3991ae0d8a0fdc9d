import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, scratchFolder } from '../support/agent/agent.ts';
import {
  event,
  query,
  type Recording,
  STACK_FRAMES,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import { expectOffCpuAsBpfHasIt } from '../support/agent/calls-by-both.ts';
import {
  expectExactCalls,
  launches,
  ROUNDS,
  RUNTIME,
  THREADS,
} from '../support/agent/exact-calls.ts';
import {
  freshPath,
  recordInside,
  removeRecordings,
  runAlone,
  trouble,
} from '../support/agent/inside-run.ts';
import { copiesOf, expectUnharmed, UNHARMED_LIMIT_MS } from '../support/agent/unharmed.ts';
import { describeWith } from '../support/requirements.ts';

/** Calls recorded from inside where there is no CUPTI: through the imports of what the job has loaded. */

const args = ['--no-cupti'];
const count = ['count', String(ROUNDS), String(THREADS)];
const libcopies = standIn('libcopies.so');

const noticesOf = ({ file }: Recording) =>
  query(file, 'SELECT text FROM notice')
    .map(({ text }) => text)
    .join('\n');

const provenance = ({ file }: Recording, table: string, column = '') =>
  value(
    file,
    `SELECT kind FROM provenance WHERE table_name = '${table}' AND column_name = '${column}'`,
  );

function expectCallsAlone(recording: Recording): void {
  expect(recording.code, recording.stderr).toBe(0);
  expectExactCalls(recording);
  const kinds = (['', 'off_cpu_ns', 'correlation', 'host_memory'] as const).map((column) =>
    provenance(recording, 'cuda_call', column),
  );
  expect(kinds).toEqual(['partial', 'exact', 'absent', 'inferred']);
  expect(provenance(recording, 'gpu_work')).toBe('absent');
  const without = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
    WHERE name.text NOT LIKE '%Launch%' AND (off_cpu_ns IS NULL OR run_queue_ns IS NULL OR minor_faults IS NULL)`;
  expect(value(recording.file, without)).toBe(0);
  expect(value(recording.file, 'SELECT count(correlation) FROM cuda_call')).toBe(0);
}

removeRecordings();

describeWith(['agent'], 'recorded from inside, without CUPTI', () => {
  test.concurrent.each(['calls', 'calls-sealed'])('%s: each call is there once', async (name) => {
    const recording = await recordInside([standIn(name), ...count], { args });
    expectCallsAlone(recording);
    expect(noticesOf(recording)).toMatch(/what the GPU did was not recorded, .*--no-cupti/);
    const tier = "SELECT available FROM capability WHERE name = 'imports'";
    expect(value(recording.file, tier)).toBe(1);
  });

  test.concurrent('where there is no libcupti, the package is named that brings it', async () => {
    const folder = scratchFolder();
    for (const name of ['calls', 'libcudart.so.12'])
      copyFileSync(standIn(name), join(folder, name));
    const recording = await recordInside([join(folder, 'calls'), ...count]);
    expectCallsAlone(recording);
    expect(noticesOf(recording)).toMatch(
      /install the package nvidia-cuda-cupti-cu12 \(pip\) beside/,
    );
  });

  test.concurrent('where another profiler has CUPTI, it is said', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'taken' });
    expectCallsAlone(recording);
    expect(noticesOf(recording)).toMatch(
      /because another profiler holds CUPTI, which serves one at a time \(CUPTI's error 39.*\)\. Where the job has none, it is PyTorch's own: .* newer ones do not\. Of their CUDA calls those are there/,
    );
    const inside = JSON.parse(
      String(value(recording.file, "SELECT value FROM meta WHERE key = 'inside'")),
    );
    expect(inside).toMatchObject({ processes: 0, by_imports: 1, other_profiler: true });
  });

  test.concurrent('where the profiler can be named, it is', async () => {
    const profiler = join(scratchFolder(), 'libToolsInjection64.so');
    copyFileSync(standIn('libcuda.so.1'), profiler);
    const env = { LD_PRELOAD: profiler };
    const recording = await recordInside([standIn('calls'), ...count], { env });
    expectCallsAlone(recording);
    expect(noticesOf(recording)).toMatch(
      /because another profiler is in it, and CUPTI serves one at a time \(libToolsInjection64\.so\)\. Of/,
    );
  });

  test.concurrent('calls have the stack they were made in', async () => {
    const recording = await recordInside([trouble, 'waits', '20'], { args });
    const frames = query(
      recording.file,
      `${STACK_FRAMES} SELECT DISTINCT symbol FROM cuda_call c JOIN stack_frame f USING (stack_id)
       JOIN name ON name.id = c.op_id WHERE name.text = 'cudaDeviceSynchronize' AND position = 0`,
    ).map(({ symbol }) => symbol);
    expect(frames).toEqual(['copy']);
  });

  test.concurrent('launches above a rate are counted, but for the one that began CUDA', async () => {
    const recording = await recordInside([standIn('calls'), 'launches', '50000', '0.3'], { args });
    const { launches: made } = recording.report() as { launches: number };
    expect(launches(recording.file, RUNTIME)).toEqual({ cudaLaunchKernel: made - 1 });
  });

  test.concurrent('a call left by longjmp has no result, and does not disturb others', async () => {
    const recording = await recordInside([standIn('calls'), 'longjmp', '20'], { args });
    expect(recording.code, recording.stderr).toBe(0);
    const rows = query(
      recording.file,
      `SELECT name.text AS op, return_code, count(*) AS n FROM cuda_call
       JOIN name ON name.id = op_id GROUP BY 1, 2 ORDER BY 1`,
    ).map((row) => Object.values(row));
    expect(rows).toEqual([
      ['cudaDeviceSynchronize', 0, 20],
      // The first was CUDA's begin.
      ['cudaStreamSynchronize', null, 19],
    ]);
  });

  test.concurrent('a library that is loaded later is seen too', async () => {
    const recording = await recordInside([standIn('later'), libcopies, '200', 'led'], { args });
    expect(recording.stdout).toBe('200 copies, 200 of the library\n');
    expect(copiesOf(recording, 'cudaMemcpy')).toBe(200);
    expect(copiesOf(recording)).toBe(200);
  });

  test.concurrent('Python with a library that imports the runtime', async () => {
    const script = 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).copyTimes(300))';
    const recording = await recordInside(['/usr/bin/python3', '-c', script, libcopies], { args });
    expect(recording.stdout).toBe('300\n');
    expect(copiesOf(recording)).toBe(300);
  });

  test.concurrent('where CUPTI comes later, the line brings what the GPU does', async () => {
    const folder = scratchFolder();
    for (const name of ['libcudart.so.12', 'libcopies.so'])
      copyFileSync(standIn(name), join(folder, name));
    const script = [
      'import ctypes, os, shutil, sys',
      'copies = ctypes.CDLL(sys.argv[1] + "/libcopies.so"); copies.copyTimes(5)',
      'shutil.copy(sys.argv[2], sys.argv[1])',
      'begin = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).stalltrace_begin',
      'begin.restype = ctypes.c_char_p; print(begin().decode()); copies.copyTimes(7)',
    ].join('\n');
    const job = ['/usr/bin/python3', '-c', script, folder, standIn('libcupti.so.12')];
    const recording = await recordInside(job);
    expect(recording.stdout).toMatch(/^Recorded by Stalltrace from now on/);
    expect(copiesOf(recording)).toBe(12);
    const copies = 'SELECT count(*) FROM gpu_work WHERE kind = 2';
    expect(value(recording.file, copies)).toBe(7);
    const gaps = `SELECT name.text, count(*) FROM gap JOIN name ON name.id = op_id GROUP BY 1`;
    expect(query(recording.file, gaps).map((row) => Object.values(row))).toEqual([
      ['cuda_call', 2],
      ['gpu_work', 2],
    ]);
  });

  test.concurrent('a runtime inside the program is not seen, and it is said', async () => {
    const recording = await recordInside([standIn('calls-static'), 'count', '2', '1'], { args });
    expect(recording.code, recording.stderr).toBe(0);
    expect(value(recording.file, 'SELECT count(*) FROM cuda_call')).toBe(0);
    expect(noticesOf(recording)).toMatch(/no library imports CUDA's functions/);
  });

  test.concurrent('a capture that ends first leads the imports back', async () => {
    const file = freshPath();
    const recording = await recordInside([trouble, 'until', file], {
      args,
      meanwhile: async ({ agent, said }) => {
        await said('progress', /"cuda_call":\d\d/);
        agent.kill('SIGINT');
        await said('finished');
        writeFileSync(file, '');
      },
    });
    expect(recording.stdout).toBe('0 copies went wrong\n');
    expect(recording.code).toBe(9);
    expect(event(recording, 'finished')).toMatchObject({ end: 'stopped', job_running: true });
    expect(copiesOf(recording)).toBeGreaterThan(9);
  });
});

describeWith(['agent'], 'the library inside, without CUPTI, does no harm', () => {
  test.concurrent.each([
    [['forks', '20'], 1 + 20 + 20],
    [['closed', '400'], 800],
    [['threads', '64', '40'], 64 * 40],
    [['ends', 'return', '50'], 50],
    [['ends', '_exit', '50'], 50],
    [['ends', 'kill', '50'], 50],
    [['ends', 'thread', '50'], 50],
    [['exec', '50'], 100],
  ])('%j', (job, copies) => expectUnharmed(job, copies, { args }), UNHARMED_LIMIT_MS);

  test.concurrent('a profiler of the job has CUPTI to itself', async () => {
    const command = [standIn('profiled'), '30'];
    const alone = await runAlone(command);
    const recording = await recordInside(command, { args });
    expect(recording.stdout).toBe(alone.stdout);
    expect(copiesOf(recording)).toBe(90);
  });
});

describeWith(['agent', 'bpf'], 'calls recorded without CUPTI, with BPF beside them', () => {
  test('are off the CPU as long as the scheduler says', async () => {
    const env = { STALLTRACE_STAND_IN_BLOCK: '1', STALLTRACE_STAND_IN_PAGEABLE_GBPS: '1' };
    const recording = await recordInside([standIn('calls'), 'count', '60', '8'], {
      bpf: true,
      env,
      args,
    });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    expectOffCpuAsBpfHasIt(recording.file);
    const byImports = "SELECT json_extract(value, '$.by_imports') FROM meta WHERE key = 'inside'";
    expect(value(recording.file, byImports)).toBe(1);
  });

  test('are the probes’ to see where nobody insists', async () => {
    const command = [standIn('calls'), ...count];
    const recording = await recordInside(command, { bpf: true, cupti: 'taken' });
    expect(recording.code, recording.stderr).toBe(0);
    expect(copiesOf(recording)).toBe(6 * ROUNDS * THREADS);
    const byImports = "SELECT json_extract(value, '$.by_imports') FROM meta WHERE key = 'inside'";
    expect(value(recording.file, byImports)).toBe(0);
  });
});
