import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { symbolOf } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import type { Result } from '../../../shared/rpc/result.ts';
import { randomFrom } from '../../event-json/testing/damage.ts';
import { importers } from '../../importers.ts';
import { openTrace } from '../../open-trace.ts';
import { damagedDatabase } from '../../testing/damaged-database.ts';
import { expectSentence } from '../../testing/expect-sentence.ts';

/** More of them: `npm run soak`. */
const RUNS = process.env.STALLTRACE_SOAK === undefined ? 500 : 5_000;

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nsight-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Hardware and machine in the upper bits, beyond what a float holds. */
const task = (pid: number, tid = 0) =>
  (64n << 56n) | (1n << 48n) | (BigInt(pid) << 24n) | BigInt(tid);

/** An export: StringIds, and the tables of `sql`. */
function exported(sql: string, strings: Readonly<Record<number, string>> = {}): string {
  const path = join(folder, `${made++}.sqlite`);
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1'), ('EXPORT_SCHEMA_VERSION', '3.17.2'),
      ('EXPORT_USER', 'somebody');
    ${sql}`);
  const insert = database.prepare('INSERT INTO StringIds VALUES (?, ?)');
  for (const [id, value] of Object.entries(strings)) insert.run(Number(id), value);
  database.close();
  return path;
}

function open(path: string): Result<Trace, string> {
  return openTrace(path, { scratchDir: join(folder, 'scratch'), importers, progress() {} });
}

function imported(path: string): Trace {
  const opened = open(path);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

const RUNTIME = `CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);`;
const MEMCPY = `CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER,
  srcKind INTEGER, dstKind INTEGER);`;
const NVTX = `CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
  domainId INTEGER, globalTid INTEGER, endGlobalTid INTEGER);`;
const SCHED =
  'CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);';

const sample = () =>
  exported(
    `${RUNTIME} ${MEMCPY} ${NVTX} ${SCHED}
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 3000, 0, ${task(70_001, 70_002)}, 5, 1, 0),
      (1100, 2900, 1, ${task(70_001, 70_002)}, 6, 2, 0), (1000, 3000, 67, ${task(70_001, 70_002)}, 5, 3, 0);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000, 2500, 0, 1, 7, 5, ${task(70_001)}, 4096, 1, 0, 2);
    INSERT INTO NVTX_EVENTS VALUES (-500, NULL, 59, 'training', NULL, 3, ${task(70_001, 70_001)}, NULL),
      (0, NULL, 75, 'loader', NULL, 3, ${task(70_001, 70_001)}, NULL),
      (1500, NULL, 34, NULL, 4, NULL, ${task(70_001, 70_001)}, NULL),
      (1600, 1700, 60, 'batch', NULL, NULL, ${task(70_001, 70_001)}, ${task(70_001, 70_002)});
    INSERT INTO SCHED_EVENTS VALUES (2000, 3, 0, ${task(70_001, 70_002)}), (1000, 2, 1, ${task(70_001, 70_002)}),
      (2600, 4, 1, ${task(70_001, 70_002)}), (2700, 4, 1, ${task(70_001, 70_002)});
    CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
    INSERT INTO PROCESSES VALUES (${task(70_001)}, 70001, '/usr/bin/python3'), (${task(9)}, 9, 'secretd');`,
    { 1: 'cudaMemcpyAsync_v3020', 2: 'cuMemcpyHtoDAsync_v2', 3: 'cudaMemcpyAsync', 4: 'here' },
  );

test('calls, copies, ranges and switches become rows of the model', () => {
  const trace = imported(sample());
  const { tables, names, threads, processes } = trace;
  const name = (at: number | undefined) => names[at ?? -1];
  expect(trace.meta).toMatchObject({
    format: 'Nsight Systems',
    version: '2025.1.1 (schema 3.17.2)',
  });
  // Only those that rows name.
  expect(processes.map(({ pid, name: said }) => [pid, said])).toEqual([[70_001, 'python3']]);
  expect(threads.map(({ tid }) => tid).sort()).toEqual([70_001, 70_002]);

  const calls = tables.cuda_call.columns;
  // All times count from the earliest: the range that was pushed before the session began.
  expect([...calls.startNs]).toEqual([1500, 1600]);
  expect([...calls.durationNs]).toEqual([2000, 1800]);
  expect(Array.from(calls.op, name)).toEqual(['cudaMemcpyAsync', 'cuMemcpyHtoDAsync']);
  expect(Array.from(calls.parent ?? [])).toEqual([-1, 0]);

  const work = tables.gpu_work.columns;
  expect(Array.from(work.op, name)).toEqual(['Memcpy HtoD (Pageable -> Device)']);
  expect(work.call?.[0]).toBe(0);
  expect([work.bytes?.[0], work.direction?.[0]]).toEqual([4096, 1]);
  // Pageable to device.
  expect([work.sourceMemory?.[0], work.destinationMemory?.[0]]).toEqual([4, 5]);
  expect(trace.streams.map(({ name: said }) => said)).toEqual(['stream 7']);

  const ranges = tables.range.columns;
  expect(Array.from(ranges.op, name)).toEqual(['training', 'here', 'batch']);
  // The first was never popped: it lasts as long as the recording.
  expect([...ranges.durationNs]).toEqual([3500, 0, 100]);
  expect(name(ranges.domain?.[0])).toBe('loader');
  expect(threads[ranges.endThread?.[2] ?? -1]?.tid).toBe(70_002);

  const { on_cpu: on, off_cpu: off } = tables;
  expect([...on.columns.startNs, ...on.columns.durationNs, ...on.columns.cpu]).toEqual([
    1500, 1000, 2,
  ]);
  const { startNs, durationNs, cpuOut, cpuIn } = off.columns;
  expect([startNs[0], durationNs[0], cpuOut?.[0], cpuIn?.[0]]).toEqual([2500, 600, 3, 4]);
  expect(JSON.stringify(trace.names) + JSON.stringify(processes)).not.toMatch(/secretd|somebody/);
});

test('ranges of one operator have one name, however PyTorch counted its calls', () => {
  const next = 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__';
  const thread = `${task(5, 5)}, NULL`;
  const trace = imported(
    exported(
      `${NVTX} INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'aten::to, op_id = 7', NULL, NULL, ${thread}),
        (3, 4, 59, 'aten::to, seq = 3, op_id = 8', NULL, NULL, ${thread}), (5, 6, 59, NULL, 1, NULL, ${thread});`,
      { 1: `${next}, op_id = 9` },
    ),
  );
  const names = Array.from(trace.tables.range.columns.op, (at) => trace.names[at]);
  expect(names).toEqual(['aten::to', 'aten::to', next]);
});

test('what waited for a GPU is called by its call, and is on no thread', () => {
  const trace = imported(
    exported(
      `${RUNTIME} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 9, 0, ${task(5, 5)}, 7, 1, 0),
        (1, 9, 0, ${task(6, 6)}, 7, 2, 0), (1, 9, 67, ${task(5, 5)}, 7, 2, 0);
      CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, correlationId INTEGER,
        globalPid INTEGER, syncType INTEGER);
      INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (2, 8, 7, ${task(5)}, 1), (3, 8, 99, ${task(5)}, 1),
        (4, 8, 7, ${task(6)}, 1), (9, 4, 7, ${task(6)}, 1);`,
      { 1: 'cudaStreamSynchronize_v3020', 2: 'cudaEventSynchronize_v3020' },
    ),
  );
  const { op, thread, category } = trace.tables.range.columns;
  expect(Array.from(op, (at) => trace.names[at])).toEqual([
    'cudaStreamSynchronize',
    '(not known)',
    'cudaEventSynchronize',
  ]);
  expect([...thread]).toEqual([-1, -1, -1]);
  expect(trace.names[category[0]]).toBe('cuda_sync');
  expect(trace.notices.map(({ text }) => text).join()).toContain('1 row of the file was left out');
});

test('the code that a call was made in is that of its row, or of the second row of 2022', () => {
  const trace = imported(
    exported(
      `${RUNTIME.replace('returnValue INTEGER', 'returnValue INTEGER, callchainId INTEGER')}
      INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 7, 1, 0, NULL),
        (1, 2, 67, ${task(5, 5)}, 7, 2, 0, 30), (3, 4, 0, ${task(5, 5)}, 8, 1, 0, 31),
        (5, 6, 0, ${task(6, 6)}, 7, 1, 0, NULL), (7, 8, 0, ${task(6, 6)}, 9, 1, 0, 99);
      CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);
      INSERT INTO CUDA_CALLCHAINS VALUES (30, 3, 4, 1), (30, 1, 5, 0), (31, 3, NULL, 0);`,
      { 1: 'cudaMalloc_v3020', 2: 'cudaMalloc', 3: 'main', 4: '/app/run', 5: '/lib/libcudart.so' },
    ),
  );
  const { stack, op } = trace.tables.cuda_call.columns;
  const framesOf = (at: number): string[] => {
    const { stacks } = trace;
    return at < 0 ? [] : [symbolOf(stacks, stacks.frame[at]), ...framesOf(stacks.prefix[at])];
  };
  expect(op.length).toBe(4);
  expect(Array.from(stack ?? [], framesOf)).toEqual([
    ['cudaMalloc_v3020', 'main'],
    ['main'],
    [],
    [],
  ]);
  expect(trace.tables.cuda_call.columnProvenance.stack?.note).toContain('--cudabacktrace');
  expect(imported(sample()).tables.cuda_call.columnProvenance.stack?.kind).toBe('absent');
});

test('of the machine its driver is told, and nothing of who used it', () => {
  const described = (driver: string) =>
    imported(
      exported(
        `${MEMCPY} INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 1, 7, 5, ${task(5)}, 1, 1, 0, 2);
        CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
        INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'gpu-1'), ('NvDriverVersion', '${driver}'),
          ('CudaDriverVersion', '12080'), ('KernelVersion', '#1 SMP Sun Jan 10 2016'), ('DeviceEnvironment', 'TOKEN=1');`,
      ),
    );
  const trace = described('570.172.08');
  expect(trace.gpus).toEqual([{ model: 'GPU 0', driver: '570.172.08' }]);
  expect(trace.hosts).toEqual([{ hostname: 'gpu-1' }]);
  expect(described('52510517').gpus).toMatchObject([{ driver: '525.105.17' }]);
  expect(described('5104703').gpus).toMatchObject([{ driver: '510.47.03' }]);
  expect(described('/home/somebody 1.2').gpus).toEqual([{ model: 'GPU 0' }]);
});

describe('what Nsight Systems warns of', () => {
  const warned = (...texts: readonly string[]) =>
    imported(
      exported(
        `${RUNTIME} ${NVTX} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 1, 1, 0);
        INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'step', NULL, NULL, ${task(5, 5)}, NULL);
        CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);
        ${texts.map((text) => `INSERT INTO DIAGNOSTIC_EVENT VALUES (2, '${text}');`).join('')}`,
        { 1: 'cudaMalloc' },
      ),
    );
  const kinds = ({ tables }: Trace) => [
    tables.cuda_call.provenance.kind,
    tables.range.provenance.kind,
  ];

  test('makes of all what may be some, and is said', () => {
    const trace = warned('Not all CUDA events might have been collected.');
    expect(kinds(trace)).toEqual(['partial', 'exact']);
    expect(trace.notices.map(({ text }) => text)).toEqual([
      'Nsight Systems warns in this export that it may not have collected all of these: CUDA calls and GPU work. What is counted of them is “at least”.',
    ]);
    const runtime = warned('Not all OS runtime libraries events might have been collected.');
    expect(kinds(runtime)).toEqual(['exact', 'partial']);
  });

  test('of a loss in other words it is taken to mean everything, and none of them is kept', () => {
    const trace = warned('12 events of /home/somebody/train.py were lost.');
    expect(kinds(trace)).toEqual(['partial', 'partial']);
    expect(JSON.stringify([trace.notices, trace.tables])).not.toContain('somebody');
  });

  test('may be of what it did not find, or not trace: that is no loss', () => {
    const trace = warned(
      'No CUDA events collected. Does the process use CUDA?',
      'Unable to collect CPU kernel IP/backtrace samples.',
    );
    expect([kinds(trace), trace.notices]).toEqual([['exact', 'exact'], []]);
  });
});

describe('an export that is not as it should be', () => {
  test('without names it is none; without rows it says how to record again', () => {
    const path = join(folder, 'no-names.sqlite');
    const database = new DatabaseSync(path);
    database.exec(RUNTIME);
    database.close();
    expect(open(path)).toMatchObject({ ok: false, error: { code: 'file-unknown-database' } });
    expect(open(exported(RUNTIME))).toMatchObject({
      ok: false,
      error: { code: 'file-no-events', message: expect.stringContaining('--trace=cuda,nvtx,osrt') },
    });
  });

  test('columns that are missing are not known, rows that make no sense are left out and counted', () => {
    const trace = imported(
      exported(
        `CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, nameId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 1), (30, 20, 1), ('x', 20, 1), (NULL, NULL, 1),
          (9223372036854775807, 9223372036854775807, 1), (40, 50, 77), (60, 70, x'00');`,
        { 1: 'cudaMalloc' },
      ),
    );
    const { op, thread, startNs } = trace.tables.cuda_call.columns;
    expect([...startNs]).toEqual([0, 30, 50]);
    expect(Array.from(op, (at) => trace.names[at])).toEqual([
      'cudaMalloc',
      '(not known)',
      '(not known)',
    ]);
    expect([...thread]).toEqual([-1, -1, -1]);
    expect(trace.notices.map(({ text }) => text).join()).toContain(
      '4 rows of the file were left out',
    );
  });

  test('where nothing makes sense it is refused', () => {
    const path = exported(
      `${RUNTIME} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end) VALUES (5, 1);`,
    );
    expect(open(path)).toMatchObject({ ok: false, error: { code: 'file-damaged' } });
  });

  test('names are cleaned, however they are written', () => {
    const trace = imported(
      exported(
        `${RUNTIME} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 1, 1, 0);`,
        { 1: `evil\u202e\u0000<b>${'x'.repeat(50_000)}` },
      ),
    );
    const [name = ''] = trace.names;
    expect([...name].some((letter) => letter === '\u202e' || letter === '\u0000')).toBe(false);
    expect(name.length).toBeLessThan(10_000);
  });

  test('with bytes changed it is read, or refused in one sentence with a code', () => {
    const good = readFileSync(sample());
    const path = join(folder, 'changed.sqlite');
    const random = randomFrom(7);
    let read = 0;
    for (let run = 0; run < RUNS; run++) {
      writeFileSync(path, damagedDatabase(good, random));
      const opened = open(path);
      if (opened.ok) read++;
      else expectSentence(opened.error, 'changed.sqlite');
    }
    expect(read).toBeGreaterThan(RUNS / 20);
  }, 600_000);
});
