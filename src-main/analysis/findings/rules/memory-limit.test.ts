import { expect, test } from 'vitest';
import type { CostCell } from '../facts/facts.ts';
import { gainBound } from '../gain-bound.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { groupAtLimit, swappingLoop } from '../testing/loop-examples.ts';
import { diskBound } from './disk-bound.ts';
import { memoryLimit } from './memory-limit.ts';
import { memoryPressure } from './memory-pressure.ts';

const disk = cell('input', 'worker', 'disk', 3 * SECOND);
const fault = cell('input', 'worker', 'fault', SECOND);

test('what is read again below a limit is the limit’s, with the waits for disks', () => {
  const judgement = memoryLimit.judge(exampleFacts('memory-limit'));
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB makes the job read its data again');
  expect(judgement?.sentence).toBe(
    'The job’s control group may use 400.0 MiB of memory and had no room left 20,000 times: 1000 MiB that had been dropped were read again, where the makers of batches read 1.172 GiB in all. The training loop waited 4.000 s (40.0 % of the time) for data that was read again, and for room in memory.',
  );
  expect([disk, fault].map((each) => judgement?.claims?.(each))).toEqual([true, true]);
  expect(judgement?.claims?.(cell('compute', 'main', 'device', SECOND))).toBe(false);
  // What more memory would win is not in the trace.
  expect(judgement?.gain).toBe('unknown');
  expect(judgement?.fix.after).toBe(
    'echo 800M > "$CGROUP/memory.max"   # of version 1, memory.limit_in_bytes',
  );
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

test('one reclaim, or few samples of one, do not make its time and that for pages the limit’s', () => {
  const trace = groupAtLimit(0, 0);
  const names = [...(trace.names ?? []), ['HOST', 'reclaim in the control group'] as const];
  const range = [{ startNs: 0, durationNs: MS, thread: 1, op: 5, category: 0 }];
  const rows = { ...trace.rows, range };
  const brief = exampleFacts('memory-limit', { trace: { ...trace, names, rows } });
  expect(memoryLimit.judge(brief)).toBeUndefined();
  const plan = swappingLoop({});
  const title = (seen: number) => {
    const cpu_sample = (plan.trace?.rows?.cpu_sample ?? [])
      .slice(0, 25)
      .map((row, at) => ({ ...row, stack: at < seen ? 0 : 1 }));
    const sampled = { ...plan.trace, rows: { ...plan.trace?.rows, cpu_sample } };
    return memoryLimit.judge(buildFacts({ ...plan, trace: sampled }))?.title;
  };
  expect([title(4), title(5)]).toEqual([
    undefined,
    'A memory limit of 400.0 MiB slows the job down',
  ]);
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

const own = (activity: 'disk' | 'running') => cell('other', 'main', activity, SECOND);

test('a loop whose own memory goes to swap and comes back waits for its limit', () => {
  const facts = buildFacts(swappingLoop());
  const judgement = memoryLimit.judge(facts);
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB makes the job swap');
  expect(judgement?.sentence).toBe(
    'The job’s control group may use 400.0 MiB of memory and had no room left 20,000 times: 500.0 MiB of the processes’ own memory came back from swap, where up to 300.0 MiB were. The training loop waited 3.000 s (30.0 % of the time) for what came back from swap, and for room in memory outside of its waits for input.',
  );
  expect(judgement?.confidence).toBe('likely');
  // A quarter of its CPU samples are of making room.
  expect([own('disk'), own('running')].map((each) => judgement?.claimPart?.(each))).toEqual([
    1, 0.25,
  ]);
  expect(judgement?.evidence.map(({ text }) => text)).toContain(
    'The training thread waited 100 times for pages to come back from a disk, outside of any system call: 2.000 s',
  );
  // What was in swap has room in it.
  expect(judgement?.fix.after).toBe(
    'echo 771M > "$CGROUP/memory.max"   # of version 1, memory.limit_in_bytes',
  );
  expect(judgement?.fix.title).toBe('Raise the memory limit of 400.0 MiB, or keep less in memory');
});

test('what the loop waits for disks while it does other things, or takes its batches, is not the limit’s', () => {
  const plan = swappingLoop();
  const saved = cell('other', 'main', 'disk', 3 * SECOND, { activity: 'checkpoint' });
  const inCall = cell('h2d', 'main', 'disk', SECOND);
  const part = (changed: FactsPlan, of: CostCell) =>
    memoryLimit.judge(buildFacts({ ...plan, ...changed }))?.claimPart?.(of);
  const costs = [...(plan.costs ?? []), saved, inCall];
  expect([own('disk'), saved, inCall].map((each) => part({ costs }, each))).toEqual([1, 0, 0]);
  // With workers too: waits within those for input are none of its own time.
  const hostTime = { startsNs: Float64Array.of(0), endsNs: Float64Array.of(5 * SECOND) };
  expect(part({ hostTime, workers: [{}] }, own('disk'))).toBe(0.5);
});

test('what a higher limit wins of the loop’s own time is bounded by its waits and samples', () => {
  const facts = buildFacts(swappingLoop());
  const bound = (changed: FactsPlan) => {
    const plan = { ...swappingLoop(), ...changed };
    const judgement = memoryLimit.judge(buildFacts(plan));
    return judgement && gainBound(buildFacts(plan), judgement)?.gainUpToNs;
  };
  const { claims } = memoryLimit.judge(facts) ?? {};
  expect(claims).toBeDefined();
  const most = bound({}) ?? 0;
  // All of the waits, and so much of the 10 s on a CPU as a quarter of 100 samples may be.
  expect(most).toBeGreaterThan(2 * SECOND + 2.5 * SECOND);
  expect(most).toBeLessThan(2 * SECOND + 3.7 * SECOND);
  // Other ranks may wait for the same limit; without samples nothing is known of its CPU time.
  expect(bound({ split: { ...facts.split, collective: SECOND } })).toBeUndefined();
  const { trace } = swappingLoop();
  expect(bound({ trace: { ...trace, rows: { ...trace?.rows, cpu_sample: [] } } })).toBeUndefined();
});

test('above memory.high the kernel puts threads to sleep, with nothing in swap', () => {
  const { trace, ...plan } = swappingLoop({ 'memory pressure (%)': 40 }, 'memory.high (MiB)');
  const off_cpu = trace?.rows?.off_cpu?.map((row) => ({ ...row, ioWait: 0, wakerContext: 4 }));
  const facts = (rows: typeof off_cpu) =>
    buildFacts({
      ...{ ...plan, costs: [cell('other', 'main', 'fault', 2 * SECOND)] },
      trace: { ...trace, rows: { ...trace?.rows, off_cpu: rows ?? [], cpu_sample: [] } },
    });
  const judgement = memoryLimit.judge(facts(off_cpu));
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB slows the job down');
  expect(judgement?.sentence).toContain(
    'is slowed down above 400.0 MiB of memory (memory.high) and was held up 20,000 times. The training loop waited 2.000 s (20.0 % of the time) for room in memory outside of its waits for input.',
  );
  expect(judgement?.evidence.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'Some task of the group waited for memory 40.0 % of the time (memory.pressure)',
      'The kernel put it to sleep 100 times while it asked for memory: 2.000 s',
    ]),
  );
  expect(judgement?.fix.text).toContain('kills none');
  expect(judgement?.fix.after).toContain('"$CGROUP/memory.high"');
  // The lock of the memory map, which another thread gives up, is no sleep of the kernel’s choice.
  const locked = off_cpu?.map((row) => ({ ...row, wakerContext: 1 }));
  expect(memoryLimit.judge(facts(locked))).toBeUndefined();
});

test('memory.high is raised by what sets it, and with memory.max where it would pass that', () => {
  const fix = (hard: number) => {
    const figures = { 'memory limit (MiB)': hard, 'memory swapped in (MiB/s)': 50 };
    return memoryLimit.judge(buildFacts(swappingLoop(figures, 'memory.high (MiB)')))?.fix;
  };
  expect(fix(2000)?.after).toBe('echo 800M > "$CGROUP/memory.high"');
  expect(fix(2000)?.text).toContain('`MemoryHigh=800M`');
  expect(fix(2000)?.text).not.toContain('--memory');
  expect(fix(500)?.after).toBe(
    'echo 900M > "$CGROUP/memory.max"\necho 800M > "$CGROUP/memory.high"',
  );
  expect(fix(500)?.text).toContain('At memory.max, 500.0 MiB, it kills: so both have to be raised');
});

test('older recordings do not tell what came back from swap apart, and say so', () => {
  const old = { 'memory read again (MiB/s)': 50, 'swap (MiB)': 300 };
  const judgement = memoryLimit.judge(buildFacts(swappingLoop(old)));
  expect(judgement?.title).toBe('A memory limit of 400.0 MiB makes the job swap');
  expect(judgement?.sentence).toContain(
    '500.0 MiB that had been dropped were read again, or came back from swap',
  );
});

test('pages that come back while nothing does from swap are no fault of the limit', () => {
  const calm = { 'memory swapped in (MiB/s)': 0.1, 'swap (MiB)': 300 };
  const { trace, ...plan } = swappingLoop(calm);
  const rows = { ...trace?.rows, cpu_sample: [] };
  expect(memoryLimit.judge(buildFacts({ ...plan, trace: { ...trace, rows } }))).toBeUndefined();
});

/** A worker is killed at 5 s; the group counts `kills` in that second, at its limit `hits` times. */
function killed(kills: number, hits: number, subject = 1): FactsPlan {
  const { names = [], rows } = groupAtLimit(0, hits);
  const sample = (rows?.sample ?? []).map((row) => ({ ...row }));
  const at = (seconds: number, value: number) => ({
    ...{ startNs: seconds * SECOND, metric: names.length, value, gpu: -1 },
  });
  return {
    workers: [{}],
    trace: {
      names: [...names, ['HOST', 'Control group out-of-memory kills (/s)'], ['HOST', 'OOM kill']],
      processes: [{ pid: 100 }, { pid: 101, name: 'python3' }, { pid: 999, name: 'other' }],
      threads: [0, 1, 2].map((process) => ({ tid: 100 + process, process })),
      rows: {
        sample: [...sample, at(4, 0), at(5, kills)],
        process_event: [
          { startNs: 4.6 * SECOND, thread: 0, op: names.length + 1, kind: 5, subject },
        ],
      },
    },
  };
}

test('a kill at the limit of the group names the limit, and is told once', () => {
  const facts = buildFacts(killed(1, 2000));
  const judgement = memoryLimit.judge(facts);
  expect(judgement?.title).toBe('The kernel killed processes at a memory limit of 400.0 MiB');
  expect(judgement?.sentence).toContain(
    'The kernel killed 1 process of the job for memory, first python3 (pid 101), while the control group was at its limit of 400.0 MiB.',
  );
  expect(judgement?.claims).toBeUndefined();
  expect(judgement?.fix.after).toBe(
    'echo 800M > "$CGROUP/memory.max"   # of version 1, memory.limit_in_bytes',
  );
  expect(memoryPressure.judge(facts)).toBeUndefined();
});

test('a kill in the group that is of no process of the job is told without a name', () => {
  expect(memoryLimit.judge(buildFacts(killed(2, 2000, 2)))?.sentence).toContain(
    'killed 2 processes of the job’s control group for memory, while the control group was at its limit of 400.0 MiB; which is not recorded',
  );
});

test('a kill while the group was at no limit is the machine’s', () => {
  for (const [kills, hits] of [
    [1, 0],
    [0, 2000],
  ] as const) {
    const facts = buildFacts(killed(kills, hits));
    expect(memoryLimit.judge(facts)).toBeUndefined();
    expect(memoryPressure.judge(facts)?.title).toBe('Memory is short');
  }
});

test('swapping that is not the group’s is told of the machine, beside a limit that was hit', () => {
  const plan = swappingLoop({ 'memory swapped in (MiB/s)': 0, 'swap (MiB)': 1 });
  const { names = [], rows } = plan.trace ?? {};
  const swapped = { startNs: SECOND, metric: names.length, value: 5000, gpu: -1 };
  const trace = {
    ...plan.trace,
    names: [...names, ['HOST', 'Swapped in (pages/s)'] as const],
    rows: { ...rows, sample: [...(rows?.sample ?? []), swapped] },
  };
  expect(memoryPressure.judge(buildFacts({ ...plan, trace }))?.sentence).toContain(
    '5,000 pages a second came back from swap',
  );
});
