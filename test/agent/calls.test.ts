import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart, query, type Recording, standIn, value } from '../support/agent/agent-run.ts';
import {
  DRIVER,
  expectExactCalls,
  launches,
  ROUNDS,
  RUNTIME,
  THREADS,
} from '../support/agent/exact-calls.ts';
import { describeWith, findCudart } from '../support/requirements.ts';

/** Every CUDA call is there, once, with what its arguments say: test/cuda-stand-in/calls.c. */

/** From before the job begins: calls made before its library is found would be a gap. */
/** By probes alone, as a job that runs already. */
const probed = ['--no-inside', '--library', cudart, '--library', standIn('libcuda.so.1')];

/** The job of test/agent/jobs/late.c; its counted calls come once each library has been probed. */
function recordLate(calls: number, libraries: readonly string[]): Promise<Recording> {
  const probed = join(scratchFolder(), 'probed');
  return record([standIn('late'), String(calls), probed, ...libraries], {
    args: ['--no-inside'],
    meanwhile: async ({ said }) => {
      await said('notice', /was probed/, libraries.length);
      writeFileSync(probed, '');
    },
  });
}

describeWith(['agent', 'bpf'], 'CUDA calls', () => {
  const count = ['count', String(ROUNDS), String(THREADS)];

  test('each is recorded once, with bytes, direction, memory and result', async () => {
    const recording = await record([standIn('calls'), ...count], { args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    expectExactCalls(recording);
  });

  test('driver calls are linked to the runtime call around them', async () => {
    const env = { STALLTRACE_STAND_IN_DRIVER: standIn('libcuda.so.1') };
    const recording = await record([standIn('calls'), ...count], { env, args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    expectExactCalls(recording);
    const times = ROUNDS * THREADS;
    const inside = query(
      recording.file,
      `SELECT outer_name.text AS outside, inner_name.text AS inside, count(*) AS n
       FROM cuda_call i JOIN cuda_call o ON o.call_id = i.parent_call_id
       JOIN name inner_name ON inner_name.id = i.op_id JOIN name outer_name ON outer_name.id = o.op_id
       WHERE i.layer = ${DRIVER} AND o.layer = ${RUNTIME} AND i.thread_id = o.thread_id
         AND i.start_ns >= o.start_ns AND i.start_ns + i.duration_ns <= o.start_ns + o.duration_ns
         AND inner_name.text IN ('cuMemcpyHtoDAsync', 'cuMemHostAlloc', 'cuStreamSynchronize')
       GROUP BY 1, 2 ORDER BY 1, 2`,
    ).map((row) => Object.values(row));
    expect(inside).toEqual([
      ['cudaHostAlloc', 'cuMemHostAlloc', times],
      ['cudaMemcpy2DAsync', 'cuMemcpyHtoDAsync', 8 * times],
      ['cudaMemcpyAsync', 'cuMemcpyHtoDAsync', 5 * times],
      ['cudaStreamSynchronize', 'cuStreamSynchronize', times],
    ]);
  });

  test('a runtime inside the program is seen through the driver', async () => {
    const env = { STALLTRACE_STAND_IN_DRIVER: standIn('libcuda.so.1') };
    const recording = await record([standIn('calls-static'), ...count], { env, args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    const times = ROUNDS * THREADS;
    const rows = query(
      recording.file,
      `SELECT name.text AS op, sum(bytes) AS bytes, count(*) AS n FROM cuda_call
       JOIN name ON name.id = op_id WHERE layer = ${DRIVER} AND parent_call_id IS NULL
         AND name.text IN ('cuMemAlloc', 'cuMemHostAlloc', 'cuMemcpyHtoDAsync', 'cuMemcpyDtoHAsync')
       GROUP BY op ORDER BY op`,
    ).map((row) => Object.values(row));
    const hostToDevice = 65536 + 131072 + 98304 + 32768 + 2048 + 4096;
    expect(rows).toEqual([
      ['cuMemAlloc', times << 20, times],
      ['cuMemHostAlloc', times * 262144, times],
      ['cuMemcpyDtoHAsync', times * 4096, times],
      ['cuMemcpyHtoDAsync', times * hostToDevice, times * 13],
    ]);
  });

  test('a call that never returns is there, without a result', async () => {
    const recording = await record([standIn('calls'), 'unfinished'], { args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const [row, ...more] = query(
      recording.file,
      `SELECT duration_ns, return_code FROM cuda_call JOIN name ON name.id = op_id
       WHERE name.text = 'cudaDeviceSynchronize'`,
    );
    expect(more).toEqual([]);
    expect(row?.return_code).toBeNull();
    expect(row?.duration_ns).toBeGreaterThan(200e6);
  });

  test('a call left by longjmp does not disturb those after it', async () => {
    const times = 20;
    const recording = await record([standIn('calls'), 'longjmp', String(times)], { args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const returned = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaDeviceSynchronize' AND return_code = 0 AND parent_call_id IS NULL
        AND duration_ns < 1000000000`;
    expect(value(recording.file, returned)).toBe(times);
  });

  test('launches above a rate are counted, none is missing', async () => {
    const recording = await record([standIn('calls'), 'launches', '100000', '1'], { args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    const { launches: made } = recording.report() as { launches: number };
    expect(launches(recording.file, RUNTIME)).toEqual({ cudaLaunchKernel: made });
    const rows = value(recording.file, 'SELECT count(*) FROM cuda_call');
    expect(rows).toBeLessThan(made / 5);
  });

  test('a library opened late is probed, and the time until then is a gap', async () => {
    const calls = 25;
    const recording = await recordLate(calls, [cudart]);
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const { opened } = recording.report() as { opened: number[] };
    const seen = value(recording.file, 'SELECT count(*) FROM cuda_call');
    expect(seen).toBeGreaterThanOrEqual(calls);
    expect(seen).toBeLessThanOrEqual(calls + 1);
    const begin = `(SELECT value FROM meta WHERE key = 'begin_monotonic_ns')`;
    const gap = query(
      recording.file,
      `SELECT start_ns + ${begin} - ${opened[0]} AS after, start_ns + duration_ns AS endNs FROM gap
       JOIN name ON name.id = op_id WHERE name.text = 'cuda_call' AND lost IS NULL`,
    );
    expect(gap).toHaveLength(1);
    expect(gap[0]?.after).toBeLessThan(0);
    // It says that it probes, and then the calls begin.
    const first = `SELECT start_ns FROM cuda_call ORDER BY start_ns DESC LIMIT 1 OFFSET ${calls - 1}`;
    expect(gap[0]?.endNs).toBeLessThan(Number(value(recording.file, first)));
  });

  test('two copies of the runtime in one process are both probed', async () => {
    const folder = scratchFolder();
    const copy = join(folder, 'libcudart.so.11');
    copyFileSync(cudart, copy);
    const recording = await recordLate(25, [cudart, copy]);
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const seen = value(recording.file, 'SELECT count(*) FROM cuda_call');
    expect(seen).toBeGreaterThanOrEqual(50);
    expect(seen).toBeLessThanOrEqual(52);
  });
});

describeWith(['agent', 'bpf', 'torch', 'cudaToolkit'], 'NVIDIA’s own runtime', () => {
  const library = findCudart() ?? '';

  test('is probed: calls fail for want of a GPU, and are recorded', async () => {
    const script = [
      'import ctypes, sys',
      'cuda = ctypes.CDLL(sys.argv[1])',
      'p = ctypes.c_void_p()',
      'for _ in range(5): cuda.cudaMalloc(ctypes.byref(p), ctypes.c_size_t(4096))',
      'for _ in range(3): cuda.cudaDeviceSynchronize()',
    ].join('\n');
    // What is installed where CUDA usually is, is probed before the job begins.
    const recording = await record(['/usr/bin/python3', '-c', script, library]);
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const rows = query(
      recording.file,
      `SELECT name.text AS op, count(*) AS n FROM cuda_call JOIN name ON name.id = op_id
       WHERE layer = ${RUNTIME} AND return_code IS NOT NULL GROUP BY op ORDER BY op`,
    );
    expect(rows).toEqual([
      { op: 'cudaDeviceSynchronize', n: 3 },
      { op: 'cudaMalloc', n: 5 },
    ]);
  });
});
