import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectWhole, scratchFolder } from '../support/agent/agent.ts';
import {
  agentFolder,
  event,
  query,
  type Recording,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import {
  DRIVER,
  expectExactCalls,
  launches,
  ROUNDS,
  RUNTIME,
  THREADS,
} from '../support/agent/exact-calls.ts';
import { recordInside, removeRecordings, trouble } from '../support/agent/inside-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Recorded from inside the job, without BPF: against the stand-ins for CUDA and for CUPTI. */

const H2D = 1;
const PINNED = 1;
const PAGEABLE = 4;
const DEVICE = 5;
const [KERNEL, COPY, FILL, GRAPH] = [1, 2, 3, 4];
const count = ['count', String(ROUNDS), String(THREADS)];
const times = ROUNDS * THREADS;
const driver = { STALLTRACE_STAND_IN_DRIVER: standIn('libcuda.so.1') };

/** Rows of gpu_work by kind, and how many of them name the call that submitted them. */
function workByKind(file: string): unknown[][] {
  return query(
    file,
    'SELECT kind, count(*), count(call_id) FROM gpu_work GROUP BY kind ORDER BY kind',
  ).map((row) => Object.values(row));
}

/** Of a `count`: each row of a 2D copy is a copy of the GPU's; a refused copy none. */
const WORK = [
  [KERNEL, 5 * times, 5 * times],
  [COPY, 16 * times, 16 * times],
  [FILL, times, times],
  [GRAPH, times, times],
];

/** What the GPU did lies behind the begin of the call that asked for it, on the call's stream. */
function expectWorkAfterCalls(file: string): void {
  const [astray] = query(
    file,
    `SELECT sum(w.start_ns < c.start_ns) AS early, sum(w.stream_id <> c.stream_id) AS stream,
       sum(w.correlation <> c.correlation) AS correlation, sum(w.process_id IS NULL) AS process,
       sum(w.context_id IS NULL) AS context FROM gpu_work w JOIN cuda_call c USING (call_id)`,
  );
  expect(astray).toEqual({ early: 0, stream: 0, correlation: 0, process: 0, context: 0 });
}

function provenance(file: string, table: string, column = ''): unknown {
  return value(
    file,
    `SELECT kind FROM provenance WHERE table_name = '${table}' AND column_name = '${column}'`,
  );
}

const noticesOf = (file: string) =>
  query(file, 'SELECT text FROM notice')
    .map(({ text }) => text)
    .join('\n');

const capability = (file: string, name: string) =>
  query(file, `SELECT available, detail FROM capability WHERE name = '${name}'`)[0];

/** Not in a folder that ends with the test: several run at a time. */
const expectWholeInside = (recording: Recording) => expectWhole(recording, dirname(recording.file));

function expectRan(recording: Recording): void {
  expect(recording.code, recording.stderr).toBe(0);
}

removeRecordings();

describeWith(['agent'], 'recorded from inside', () => {
  test.concurrent('each call is there once, and what the GPU did', async () => {
    const recording = await recordInside([standIn('calls'), ...count]);
    expectRan(recording);
    expectWholeInside(recording);
    expectExactCalls(recording);
    const { file } = recording;
    expect(workByKind(file)).toEqual(WORK);
    expectWorkAfterCalls(file);
    const copies = query(
      file,
      `SELECT bytes, direction, source_memory, destination_memory, count(*) AS n FROM gpu_work
       WHERE bytes IN (65536, 131072) GROUP BY 1, 2, 3, 4 ORDER BY 1`,
    ).map((row) => Object.values(row));
    expect(copies).toEqual([
      [65536, H2D, PAGEABLE, DEVICE, times],
      [131072, H2D, PINNED, DEVICE, times],
    ]);
    expect(provenance(file, 'cuda_call')).toBe('exact');
    expect(provenance(file, 'gpu_work')).toBe('exact');
    expect(event(recording, 'started')).toMatchObject({
      mode: 'inside',
      sources: expect.arrayContaining([
        expect.objectContaining({ name: 'cuda_calls', available: true }),
      ]),
    });
  });

  test.concurrent('a driver call inside a runtime call is part of it', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { env: driver });
    expectRan(recording);
    expectWholeInside(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK);
    const inside = `SELECT count(*) FROM cuda_call WHERE layer = ${DRIVER}`;
    expect(value(recording.file, inside)).toBe(0);
  });

  test.concurrent('a runtime inside the program is seen through the driver', async () => {
    // As a toolkit's folder on the loader's path: there is no libcudart to look beside.
    const env = { ...driver, LD_LIBRARY_PATH: standIn('') };
    const recording = await recordInside([standIn('calls-static'), ...count], { env });
    expectRan(recording);
    expectWholeInside(recording);
    const rows = query(
      recording.file,
      `SELECT name.text AS op, sum(bytes) AS bytes, count(*) AS n FROM cuda_call
       JOIN name ON name.id = op_id WHERE layer = ${DRIVER}
         AND name.text IN ('cuMemAlloc', 'cuMemHostAlloc', 'cuMemcpyDtoHAsync')
       GROUP BY op ORDER BY op`,
    ).map((row) => Object.values(row));
    expect(rows).toEqual([
      ['cuMemAlloc', times << 20, times],
      ['cuMemHostAlloc', times * 262144, times],
      ['cuMemcpyDtoHAsync', times * 4096, times],
    ]);
    expect(workByKind(recording.file)).toEqual(WORK);
  });

  test.concurrent('launches above a rate are counted, none is missing', async () => {
    const recording = await recordInside([standIn('calls'), 'launches', '50000', '0.5']);
    expectRan(recording);
    expectWholeInside(recording);
    const { launches: made } = recording.report() as { launches: number };
    expect(launches(recording.file, RUNTIME)).toEqual({ cudaLaunchKernel: made });
    const rows = value(recording.file, 'SELECT count(*) FROM cuda_call');
    expect(rows).toBeLessThan(made / 2);
  });

  test.concurrent('a call left by longjmp has no result, and does not disturb others', async () => {
    const recording = await recordInside([standIn('calls'), 'longjmp', '20']);
    expectRan(recording);
    const rows = query(
      recording.file,
      `SELECT name.text AS op, return_code, count(*) AS n FROM cuda_call
       JOIN name ON name.id = op_id GROUP BY 1, 2 ORDER BY 1`,
    ).map((row) => Object.values(row));
    expect(rows).toEqual([
      ['cudaDeviceSynchronize', 0, 20],
      ['cudaStreamSynchronize', null, 20],
    ]);
  });

  test.concurrent('a call that never returns is there, without a result', async () => {
    const recording = await recordInside([standIn('calls'), 'unfinished']);
    expectRan(recording);
    const rows = query(recording.file, 'SELECT duration_ns, return_code FROM cuda_call');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.return_code).toBeNull();
    expect(rows[0]?.duration_ns).toBeGreaterThan(200e6);
  });

  test.concurrent('a killed job has all its calls; what its GPU did last is a gap', async () => {
    const recording = await recordInside([trouble, 'ends', 'kill', '3000']);
    expect(recording.code).toBe(137);
    const copies = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaMemcpyAsync' AND return_code = 0`;
    expect(value(recording.file, copies)).toBe(3000);
    const gap = `SELECT count(*) FROM gap JOIN name ON name.id = op_id
      WHERE name.text = 'gpu_work' AND lost IS NULL`;
    expect(value(recording.file, gap)).toBe(1);
    expect(provenance(recording.file, 'gpu_work')).toBe('partial');
  });

  test.concurrent.each(['11.8', '13.0,shuffle', '13.3'])('CUPTI %s', async (cupti) => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti });
    expectRan(recording);
    expectWholeInside(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK);
    expectWorkAfterCalls(recording.file);
  });

  test.concurrent('work that bears the number of a driver call inside names the runtime’s', async () => {
    const recording = await recordInside([standIn('calls'), ...count], {
      cupti: 'driver-ids',
      env: driver,
    });
    expectRan(recording);
    expectExactCalls(recording);
    // The stand-in makes a call of the driver for each of the 8 rows of a 2D copy: the first and the last are kept.
    const between = 6 * times;
    const [kernels, [copy, all] = [], ...others] = WORK;
    expect(workByKind(recording.file)).toEqual([
      kernels,
      [copy, all, Number(all) - between],
      ...others,
    ]);
    expect(noticesOf(recording.file)).toContain(`${between} of ${23 * times} pieces of the GPU's`);
    const [other] = query(
      recording.file,
      `SELECT sum(w.start_ns < c.start_ns) AS early, sum(w.correlation <> c.correlation) > 0 AS others
       FROM gpu_work w JOIN cuda_call c USING (call_id)`,
    );
    expect(other).toEqual({ early: 0, others: 1 });
  });

  test.concurrent('work that names no call is counted, and it is said', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'other-ids' });
    expectRan(recording);
    expect(workByKind(recording.file).map(([kind, rows]) => [kind, rows, 0])).toEqual(
      workByKind(recording.file),
    );
    const all = 23 * times;
    expect(noticesOf(recording.file)).toContain(
      `${all} of ${all} pieces of the GPU's work name no`,
    );
  });

  test.concurrent('records in CUPTI’s own clock are brought onto the trace’s', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'no-clock' });
    expectRan(recording);
    expectWholeInside(recording);
    expect(workByKind(recording.file)).toEqual(WORK);
    // The stand-in's clock is 10 µs a second too fast, and begins 1000 s earlier. It stages this copy while
    // the call waits.
    const outside = `SELECT max(max(c.start_ns - w.start_ns,
        w.start_ns + w.duration_ns - c.start_ns - c.duration_ns)) AS ns
      FROM gpu_work w JOIN cuda_call c USING (call_id)
      JOIN name ON name.id = c.op_id WHERE name.text = 'cudaMemcpy' AND c.bytes = 16384`;
    expect(value(recording.file, outside)).toBeLessThan(100_000);
  });

  test.concurrent('what CUPTI drops is a gap', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'drop' });
    expectRan(recording);
    expectExactCalls(recording);
    const all = 23 * times;
    const lost = "SELECT sum(lost) FROM gap JOIN name ON name.id = op_id WHERE text = 'gpu_work'";
    expect(value(recording.file, lost)).toBe(Math.floor(all / 7));
    const rows = value(recording.file, 'SELECT count(*) FROM gpu_work');
    expect(rows).toBe(all - Math.floor(all / 7));
    expect(event(recording, 'finished')?.drops).toEqual({ gpu_work: Math.floor(all / 7) });
    expect(provenance(recording.file, 'gpu_work')).toBe('partial');
  });

  test.concurrent('records that are too short to be read are left out, and it is said', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'short' });
    expectRan(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK.slice(1));
    expect(provenance(recording.file, 'gpu_work')).toBe('partial');
    expect(noticesOf(recording.file)).toMatch(/not recorded: the GPU's kernels, .* another form/);
  });

  test.concurrent('kernels that CUPTI does not record are missing, and it is said why', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'no-kernels' });
    expectRan(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK.slice(1));
    expect(provenance(recording.file, 'gpu_work')).toBe('partial');
    expect(noticesOf(recording.file)).toMatch(
      /not recorded: the GPU's kernels, because .*\(CUPTI's error 999, CUPTI_ERROR_UNKNOWN\)\./,
    );
    expect(capability(recording.file, 'cupti_activity')).toMatchObject({ available: 1 });
  });

  test.concurrent('where CUPTI records nothing of the GPU, calls are there, and who can change it', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { cupti: 'no-records' });
    expectRan(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual([]);
    expect(provenance(recording.file, 'cuda_call')).toBe('exact');
    expect(provenance(recording.file, 'gpu_work')).toBe('absent');
    const why = /administrators \(RmProfilingAdminOnly\).*35, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES/;
    // Once, of all kinds.
    const notices = noticesOf(recording.file).split('\n');
    expect(notices.filter((text) => why.test(text))).toEqual([
      expect.stringMatching(
        /kernels, CUDA graphs on the GPU, the GPU's fills, copies between GPUs, /,
      ),
    ]);
    expect(capability(recording.file, 'cupti_subscribe')).toMatchObject({ available: 1 });
    expect(capability(recording.file, 'cupti_activity')).toMatchObject({
      available: 0,
      detail: expect.stringMatching(why),
    });
  });

  test.concurrent.each([
    ['copies', WORK.slice(1, 3), 'partial'],
    ['none', [], 'absent'],
  ])('--gpu-records %s', async (which, work, known) => {
    const args = ['--gpu-records', which];
    const recording = await recordInside([standIn('calls'), ...count], { args });
    expectRan(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(work);
    expect(provenance(recording.file, 'gpu_work')).toBe(known);
    const [said] = query(
      recording.file,
      "SELECT note FROM provenance WHERE table_name = 'gpu_work'",
    );
    expect(said?.note).toContain(`--gpu-records ${which}`);
  });

  test.concurrent.each([
    ['taken', /another profiler holds CUPTI, which serves one at a time/],
    ['refused', /CUPTI can't reach the driver: .*error 15, CUPTI_ERROR_NOT_INITIALIZED/],
  ])('where CUPTI is %s it says so, and the job runs', async (cupti, sentence) => {
    const recording = await recordInside([standIn('calls'), 'count', '2', '1'], { cupti });
    expectRan(recording);
    expect(event(recording, 'notice')?.text ?? recording.stderr).toBeTruthy();
    const notices = query(recording.file, 'SELECT text FROM notice').map(({ text }) =>
      String(text),
    );
    expect(notices.join('\n')).toMatch(sentence);
    expect(capability(recording.file, 'cupti_subscribe')).toMatchObject({ available: 0 });
    // Imports are left.
    expect(provenance(recording.file, 'cuda_call')).toBe('partial');
    expect(provenance(recording.file, 'gpu_work')).toBe('absent');
  });

  test.concurrent('a job without CUDA is recorded, and it is said that nothing asked', async () => {
    const recording = await recordInside(['/bin/echo', 'hello']);
    expectRan(recording);
    expect(recording.stdout).toBe('hello\n');
    const notices = query(recording.file, 'SELECT text FROM notice').map(({ text }) =>
      String(text),
    );
    expect(notices.join('\n')).toMatch(/No process of the job has asked/);
    expect(provenance(recording.file, 'cuda_call')).toBe('absent');
  });
});

/** Of calls that returned, but launches: how many, and how many of them lack each sum. */
function accounts(file: string): unknown[] {
  const [row] = query(
    file,
    `SELECT count(*) > 0, sum(off_cpu_ns IS NULL) = count(*), sum(off_cpu_ns IS NULL),
       sum(run_queue_ns IS NULL) > 0 FROM cuda_call JOIN name ON name.id = op_id
     WHERE name.text NOT LIKE '%Launch%'`,
  );
  return Object.values(row ?? {});
}

describeWith(['agent'], 'sums of calls where the kernel does not tell them', () => {
  test('by a filter that refuses getrusage: none is there, and none is claimed', async () => {
    const recording = await recordInside([standIn('refuse'), 'usage', standIn('calls'), ...count]);
    expectRan(recording);
    expectExactCalls(recording);
    const [some, all] = accounts(recording.file);
    expect([some, all]).toEqual([1, 1]);
    for (const column of ['off_cpu_ns', 'run_queue_ns', 'minor_faults', 'major_faults'])
      expect(provenance(recording.file, 'cuda_call', column), column).toBe('absent');
    const note = `SELECT note FROM provenance WHERE column_name = 'off_cpu_ns'`;
    expect(value(recording.file, note)).toMatch(/refused getrusage/);
  });
});

describeWith(['agent', 'root'], 'sums of calls in a job that has no /proc', () => {
  test('tell the time off the CPU, but not what of it was spent waiting for one', async () => {
    const covered = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
    // Waits sleep, so that threads leave their CPU in calls.
    // $ORIGIN is found in /proc.
    const env = { STALLTRACE_STAND_IN_BLOCK: '1', LD_LIBRARY_PATH: standIn('') };
    const recording = await recordInside([...covered, standIn('calls'), ...count], { env });
    expectRan(recording);
    expectExactCalls(recording);
    expect(accounts(recording.file)).toEqual([1, 0, 0, 1]);
    expect(provenance(recording.file, 'cuda_call', 'off_cpu_ns')).toBe('exact');
    expect(provenance(recording.file, 'cuda_call', 'run_queue_ns')).toBe('partial');
    expect(capability(recording.file, 'schedstat')).toMatchObject({ available: 0 });
  });
});

describeWith(['agent', 'root'], 'recorded from inside without any right', () => {
  test('each call is there once, with its sums, and what the GPU did', async () => {
    const recording = await recordInside([standIn('calls'), ...count], { asNobody: true });
    expectRan(recording);
    expectWholeInside(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK);
    const without = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text NOT LIKE '%Launch%' AND (off_cpu_ns IS NULL OR run_queue_ns IS NULL OR minor_faults IS NULL)`;
    expect(value(recording.file, without)).toBe(0);
  });

  test('a job whose user cannot read the library runs without it, and it is said', async () => {
    const hidden = scratchFolder();
    for (const name of ['stalltrace-agent', 'libstalltrace-inside.so'])
      copyFileSync(join(agentFolder, name), join(hidden, name));
    const { status, stdout, stderr } = spawnSync(
      join(hidden, 'stalltrace-agent'),
      [
        ...['record', '--no-bpf', '--inside', '--user', 'nobody', '--out', join(hidden, 'x.db')],
        ...['--', '/bin/echo', 'hello'],
      ],
      { encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    expect(stdout).toBe('hello\n');
    expect(stderr).toMatch(/runs without the library inside, .* is not its user's to read/);
  });
});

describeWith(['agent', 'agentArm64'], 'recorded from inside an arm64 program, under qemu', () => {
  const folder = join(root, 'out/agent-test-arm64');
  const library = join(root, 'out/agent/linux-arm64/libstalltrace-inside.so');

  beforeAll(() => {
    const programs = ['libcudart.so.12', 'libcupti.so.12', 'calls'].map((name) =>
      join(folder, name),
    );
    const args = ['-s', '-C', join(root, 'test/cuda-stand-in'), 'CC=aarch64-linux-gnu-gcc'];
    const { status, stderr } = spawnSync('make', [...args, `OUT=${folder}`, ...programs], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  });

  // The library is that of the program's machine, not of the agent's.
  const command = [
    ...['env', `CUDA_INJECTION64_PATH=${library}`],
    ...['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
    ...[join(folder, 'calls'), ...count],
  ];

  test('each call is there once, without CUPTI', async () => {
    const recording = await recordInside(command, { args: ['--no-cupti'] });
    expectRan(recording);
    expectExactCalls(recording);
    expect(provenance(recording.file, 'cuda_call')).toBe('partial');
  });

  test('each call is there once, and what the GPU did', async () => {
    const recording = await recordInside(command);
    expectRan(recording);
    expectWholeInside(recording);
    expectExactCalls(recording);
    expect(workByKind(recording.file)).toEqual(WORK);
  });
});
