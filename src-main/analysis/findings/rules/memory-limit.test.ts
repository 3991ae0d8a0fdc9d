import { expect, test } from 'vitest';
import { cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { groupAtLimit } from '../testing/loop-examples.ts';
import { diskBound } from './disk-bound.ts';
import { memoryLimit } from './memory-limit.ts';
import { memoryPressure } from './memory-pressure.ts';

const disk = cell('input', 'worker', 'disk', 3 * SECOND);
const fault = cell('input', 'worker', 'fault', SECOND);

test('what is read again below a limit is the limit’s, with the waits for disks', () => {
  const judgement = memoryLimit.judge(exampleFacts('memory-limit'));
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB makes the job read its data again');
  expect(judgement?.sentence).toBe(
    'The job’s control group may use 400.0 MiB of memory (memory.max) and had no room left 20,000 times: 1000 MiB that had been dropped were read again, where the makers of batches read 1.172 GiB in all. The training loop waited 4.000 s (40.0 % of the time) for data that was read again, and for room in memory.',
  );
  expect([disk, fault].map((each) => judgement?.claims?.(each))).toEqual([true, true]);
  expect(judgement?.claims?.(cell('compute', 'main', 'device', SECOND))).toBe(false);
  // What more memory would win is not in the trace.
  expect(judgement?.gain).toBe('unknown');
  expect(judgement?.fix.after).toBe('echo 800M > "$CGROUP/memory.max"');
});

test('the files that are read again are named', () => {
  const plan = groupAtLimit();
  const names = [...(plan.names ?? []), ['', '/data/train.bin (ext4)'] as const];
  const off_cpu = Array.from({ length: 60 }, (_, at) => ({
    ...{ startNs: at * 20 * MS, durationNs: 5 * MS, thread: 1, runQueueNs: 0 },
    ...{ syscall: -1, state: 2, ioWait: 1, wakerContext: 3, file: names.length - 1 },
  }));
  const trace = { ...plan, names, rows: { ...plan.rows, off_cpu } };
  const facts = exampleFacts('memory-limit', { trace });
  const { tables } = facts.trace;
  const columnProvenance = { file: { kind: 'partial' as const, note: '' } };
  const proved = { ...tables, off_cpu: { ...tables.off_cpu, columnProvenance } };
  const judgement = memoryLimit.judge({ ...facts, trace: { ...facts.trace, tables: proved } });
  expect(judgement?.evidence.at(-1)?.text).toBe(
    'The waits of the makers of batches for disks were mostly for /data/train.bin (ext4)',
  );
});

test('a group that is always full but reads nothing again only has a small cache', () => {
  const trace = groupAtLimit(1);
  expect(memoryLimit.judge(exampleFacts('memory-limit', { trace }))).toBeUndefined();
});

test('without a hit or reclaim the limit did nothing', () => {
  const trace = groupAtLimit(100, 0);
  expect(memoryLimit.judge(exampleFacts('memory-limit', { trace }))).toBeUndefined();
});

test('reclaim of its threads shows it too, and takes the time for pages alone', () => {
  const trace = groupAtLimit(0, 0);
  const names = [...(trace.names ?? []), ['HOST', 'reclaim in the control group'] as const];
  const range = [{ startNs: 0, durationNs: SECOND, thread: 1, op: 5, category: 0 }];
  const judgement = memoryLimit.judge(
    exampleFacts('memory-limit', { trace: { ...trace, names, rows: { ...trace.rows, range } } }),
  );
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB slows the job down');
  expect([disk, fault].map((each) => judgement?.claims?.(each))).toEqual([false, true]);
  expect(judgement?.evidence.map(({ text }) => text)).toContain(
    'Threads of the job freed memory of the group themselves for 1.000 s, all together',
  );
});

test('fewer workers are advised only where processes hold most of it', () => {
  const text = (own: number) => {
    const trace = groupAtLimit();
    const sample = (trace.rows?.sample ?? []).map((row) =>
      row.metric === 3 ? { ...row, value: own } : row,
    );
    const facts = exampleFacts('memory-limit', {
      trace: { ...trace, rows: { ...trace.rows, sample } },
    });
    return memoryLimit.judge(facts)?.fix.text;
  };
  expect(text(220)).toContain('one worker less');
  expect(text(100)).not.toContain('worker');
});

test('the machine’s own figures are not told again as pressure', () => {
  const limited = exampleFacts('memory-limit');
  const pressed = (trace: ReturnType<typeof groupAtLimit>) => {
    const names = [...(trace.names ?? []), ['HOST', 'Memory pressure (%)'] as const];
    const sample = [
      ...(trace.rows?.sample ?? []),
      { startNs: SECOND, metric: 5, value: 20, gpu: -1 },
    ];
    const plan = { trace: { ...trace, names, rows: { ...trace.rows, sample } } };
    return memoryPressure.judge(exampleFacts('memory-limit', plan));
  };
  expect(memoryPressure.judge(limited)).toBeUndefined();
  expect(pressed(groupAtLimit())).toBeUndefined();
  expect(pressed(groupAtLimit(0, 0))?.title).toBe('Memory is short');
});

test('what is read again is not blamed on the disk, what is read anew is', () => {
  const told = (readAgain: number) =>
    diskBound.judge(exampleFacts('memory-limit', { trace: groupAtLimit(readAgain) }))?.title;
  expect([told(100), told(1)]).toEqual([undefined, 'Batches wait for the disk']);
});

test('of the time on a CPU it takes what the kernel worked for it, by samples', () => {
  const trace = groupAtLimit();
  const kernel = (symbol: string) => ({ symbol, language: 'native' }) as const;
  const stacks = [
    [kernel('clear_page'), kernel('try_to_free_mem_cgroup_pages')],
    [kernel('read_pages')],
    [kernel('decode')],
  ];
  const cpu_sample = Array.from({ length: 40 }, (_, at) => ({
    startNs: at * SECOND * 0.2,
    thread: 1,
    stack: at % 4 > 1 ? 2 : at % 4,
  }));
  const rows = { ...trace.rows, cpu_sample };
  const running = cell('input', 'worker', 'running', 4 * SECOND);
  const facts = exampleFacts('memory-limit', {
    costs: [running],
    trace: { ...trace, stacks, rows },
  });
  const judgement = memoryLimit.judge(facts);
  expect(judgement?.sentence).toContain('waited 2.000 s (20.0 % of the time)');
  expect(judgement?.claimPart?.(running)).toBe(0.5);
});
