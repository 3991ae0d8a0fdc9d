import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../event-json/testing/damage.ts';
import { damagedDatabase } from '../../testing/damaged-database.ts';
import { expectSentence } from '../../testing/expect-sentence.ts';
import { MEMCPY, NVTX, RUNTIME, SCHED, task, useExports } from './testing/exported.ts';

const { exported, imported, open, pathOf } = useExports();

/** More of them: `npm run soak`. */
const RUNS = process.env.STALLTRACE_SOAK === undefined ? 500 : 5_000;

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

describe('an export that is not as it should be', () => {
  test('without names it is none; without rows it says how to record again', () => {
    const path = pathOf('no-names.sqlite');
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
    const path = pathOf('changed.sqlite');
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
