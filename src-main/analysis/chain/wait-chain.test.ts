import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WaitChain } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { jobsOf } from '../jobs/job-index.ts';
import { buildTrace } from '../testing/build-trace.ts';
import {
  asleep,
  byTimer,
  calls,
  futexOps,
  loaderThreads,
  loaderTrace,
  putNsOf,
  wakes,
  wokenBy,
} from '../testing/loader-trace.ts';
import { waitChain } from './wait-chain.ts';

const { main, workerMain, feeder, pin, stranger } = loaderThreads;

function chainOf(trace: Trace, startNs: number, endNs: number, thread: number = main): WaitChain {
  const chain = waitChain(trace, jobsOf(trace)[0]?.ranks[0], thread, startNs, endNs);
  expectTiles(chain, startNs, endNs);
  return chain;
}

function expectTiles({ segments, sums }: WaitChain, startNs: number, endNs: number): void {
  expect(sums.reduce((all, { ns }) => all + ns, 0)).toBeCloseTo(endNs - startNs, 3);
  const bounds = segments.flatMap((segment) => [segment.startNs, segment.endNs]);
  expect(bounds[0]).toBe(startNs);
  expect(bounds.at(-1)).toBe(endNs);
  for (let at = 1; at < segments.length; at++)
    expect(segments[at].startNs).toBe(segments[at - 1].endNs);
  for (const segment of segments) expect(segment.endNs).toBeGreaterThan(segment.startNs);
}

const threadsOf = ({ segments }: WaitChain) => segments.map(({ thread }) => thread.thread);

/** Threads that only sleep as told; all their switches are stored. */
function plainTrace(switches: readonly ReturnType<typeof asleep>[]): Trace {
  const trace = buildTrace({
    processes: [
      { pid: 10, role: 'main', roleBasis: 'said' },
      { pid: 311, name: 'redis-server' },
    ],
    threads: [0, 1, 2, 3, 4, 5, 6].map((at) => ({
      tid: 10 + at,
      process: at < 5 ? 0 : 1,
      name: `t${at}`,
    })),
    names: [
      ['', 'read'],
      ['', '/data/fifo (ext4)'],
      ['', 'socket to 127.0.0.1:6379 (redis-server, pid 311)'],
      ['', 'socket to 10.0.0.2:6379'],
      ['', 'pipe'],
    ],
    rows: { off_cpu: switches.toSorted((a, b) => a.startNs - b.startNs) },
  });
  return { ...trace, hosts: [{ cpuModel: 'Intel Xeon' }] };
}

/** Makes the switches of `thread` complete over the whole test. */
const around = (thread: number) => [asleep(thread, 0, 1, byTimer), asleep(thread, 9e8, 9e8 + 1)];

describe('waitChain', () => {
  const plan = { batches: 3, batchNs: 10e6 };

  test('goes from the main thread through the feeder into what its worker did', () => {
    const putNs = putNsOf(plan, 1);
    const chain = chainOf(loaderTrace(plan), putNs - 9e6, putNs + 40_000);
    expect(threadsOf(chain)).toEqual([workerMain, workerMain, feeder, main]);
    expect(chain.segments.map(({ state }) => state)).toEqual([
      'sleeping',
      'running',
      'running',
      'running',
    ]);
    expect(chain.segments[0].reason).toBe('slept until its time was up');
    expect(chain.segments[0].event?.table).toBe('off_cpu');
    expect(chain.ending).toBe(
      'The chain ends with DataLoader worker 0: for 8.995 ms of 9.040 ms it slept until its time was up; a timer ended that wait, nobody else.',
    );
    expect(chain.cannotTell).toEqual([]);
  });

  test('shows the whole cycle of the batch, not the part that the interval cuts out', () => {
    const putNs = putNsOf(plan, 1);
    const { cycle } = chainOf(loaderTrace(plan), putNs - 1e6, putNs + 40_000);
    expect(cycle?.startNs).toBe(putNsOf(plan, 0));
    expect(cycle?.endNs).toBe(putNs + 20_000);
    expect(cycle?.parts.map(({ cause, ns }) => [cause, ns])).toEqual([
      ['sleeping', 9.99e6],
      ['sending', 20_000],
      ['running', 10_000],
    ]);
  });

  test('passes the pin-memory thread on its way', () => {
    const pinned = { ...plan, pinned: true };
    const putNs = putNsOf(plan, 1);
    const chain = chainOf(loaderTrace(pinned), putNs - 9e6, putNs + 60_000);
    expect(threadsOf(chain)).toEqual([workerMain, workerMain, feeder, pin, main]);
    expect(chain.segments[3].thread.name).toBe('Pin-memory thread');
  });

  test('does not follow a worker that waited for an index: then it is what the one did that asks', () => {
    // The worker of the second batch is asked 4 ms before it is put.
    const putNs = putNsOf(plan, 1);
    const asked = {
      ...{ syscall: calls.poll, syscallArg1: 1, syscallArg2: 5000 },
      ...wokenBy(main),
    };
    const switches = [
      ...[main, workerMain, feeder].flatMap(around),
      asleep(workerMain, 2e6, putNs - 4e6, asked),
      asleep(feeder, 2e6, putNs, {
        syscall: calls.futex,
        syscallArg1: 0x189,
        ...wokenBy(workerMain),
      }),
      asleep(main, putNs - 3e6, putNs + 20_000, { syscall: calls.poll, ...wokenBy(feeder) }),
    ];
    const trace = loaderTrace({ batches: 0, batchNs: 10e6, extra: switches });
    const chain = chainOf(trace, putNs - 6e6, putNs + 30_000);
    expect(threadsOf(chain)).toEqual([main, workerMain, feeder, main]);
    expect(chain.segments[1].startNs).toBe(putNs - 4e6);
  });

  test('ends in the read of a file: by name, and nobody behind it is made up', () => {
    const inRead = { syscall: calls.read, file: 1, ...wokenBy(4) };
    const trace = plainTrace([
      ...[0, 1].flatMap(around),
      asleep(0, 1e6, 5e6, { syscall: calls.poll, ...wokenBy(1) }),
      asleep(1, 1.5e6, 4.9e6, inRead),
    ]);
    const chain = chainOf(trace, 2e6, 5.5e6);
    expect(threadsOf(chain)).toEqual([1, 1, 0]);
    expect(chain.segments[0].reason).toContain('/data/fifo');
    expect(chain.ending).toMatch(/\/data\/fifo.*who ended that wait was not recorded\.$/);
  });

  test('names the line that waited, where the stack of the wait is known', () => {
    const load = { symbol: 'load', file: '/home/u/data.py', line: 12, language: 'python' } as const;
    const trace = buildTrace({
      processes: [{ pid: 10 }],
      threads: [{ tid: 10, process: 0, name: 't0' }],
      stacks: [[load]],
      rows: {
        off_cpu: [
          asleep(0, 0, 1, byTimer),
          asleep(0, 1e6, 5e6, { syscall: calls.sleep, ...byTimer, stack: 0 }),
          asleep(0, 9e8, 9e8 + 1, byTimer),
        ],
      },
    });
    const chain = chainOf({ ...trace, hosts: [{ cpuModel: 'Intel Xeon' }] }, 1e6, 5e6);
    expect(chain.segments[0].reason).toBe('slept until its time was up, in load (data.py:12)');
    expect(chain.ending).toContain(
      'it slept until its time was up, the longest in load (data.py:12)',
    );
  });

  test('says of a name beside the wait that it was looked up, unless it is proved', () => {
    const inRead = { syscall: calls.read, file: 1, ...wokenBy(4) };
    const trace = plainTrace([...[0, 1].flatMap(around), asleep(0, 1e6, 5e6, inRead)]);
    const reasonOf = (kind: 'partial' | 'inferred') => {
      const columnProvenance = { file: { kind, note: '' } };
      const off_cpu = { ...trace.tables.off_cpu, columnProvenance };
      const said = { ...trace, tables: { ...trace.tables, off_cpu } };
      return chainOf(said, 2e6, 5e6).segments[0].reason;
    };
    expect(reasonOf('inferred')).toBe(
      'waited for a pipe or a socket, in read; its file, looked up after: /data/fifo (ext4)',
    );
    expect(reasonOf('partial')).toBe('waited for /data/fifo (ext4), in read');
  });

  test('goes on into the process at the other end of a socket, where that was recorded', () => {
    const inRead = { syscall: calls.read, file: 2, wakerContext: wakes.softirq };
    const asked = asleep(0, 1e6, 5e6, inRead);
    const server = [
      asleep(5, 2e6, 4e6, { syscall: calls.sleep, ...byTimer }),
      // Another of its threads has nothing to do with it.
      asleep(6, 1.5e6, 8e6, { syscall: calls.poll, ...byTimer }),
    ];
    const recorded = chainOf(
      plainTrace([...[0, 5, 6].flatMap(around), asked, ...server]),
      2e6,
      6e6,
    );
    expect(threadsOf(recorded)).toEqual([5, 5, 0]);
    expect(recorded.ending).toMatch(/slept until its time was up/);
    const alone = chainOf(plainTrace([...around(0), asked]), 2e6, 6e6);
    expect(threadsOf(alone)).toEqual([0, 0]);
    expect(alone.ending).toMatch(
      /a socket to 127\.0\.0\.1:6379.*; what came from redis-server \(pid 311\) at 127\.0\.0\.1:6379 ended that wait\.$/,
    );
    const far = chainOf(plainTrace([...around(0), { ...asked, file: 3 }]), 2e6, 6e6);
    expect(far.ending).toMatch(/; what came from 10\.0\.0\.2:6379 ended that wait\.$/);
  });

  test('names who fed a pipe, also where it was not recorded', () => {
    const read = asleep(0, 1e6, 5e6, { syscall: calls.read, file: 4, ...wokenBy(5) });
    const chain = chainOf(plainTrace([...around(0), read]), 2e6, 6e6);
    expect(chain.ending).toMatch(
      /waited for a pipe; redis-server \(pid 311\) ended that wait, and what it did was not recorded\.$/,
    );
  });

  test('stops at the disk, at an interrupt and at a kernel thread', () => {
    const onDisk = { state: 2, ioWait: 1, ...wokenBy(1) };
    const stopAt = (more: object) => {
      const trace = plainTrace([...[0, 1].flatMap(around), asleep(0, 1e6, 5e6, more)]);
      return chainOf(trace, 2e6, 5e6);
    };
    expect(stopAt(onDisk).segments.map(({ state }) => state)).toEqual(['disk']);
    expect(stopAt(onDisk).ending).toContain('the disk kept it waiting');
    expect(stopAt({ wakerContext: wakes.irq }).ending).toContain('a device or the network');
    expect(stopAt({}).ending).toContain('who ended that wait is not known');
  });

  test('says who ran while a thread was ready, and on which CPU', () => {
    const switches = [...around(0), asleep(0, 1e6, 5e6, { state: 0, runQueueNs: 4e6 })];
    const trace = buildTrace({
      processes: [{ pid: 10 }, { pid: 30, name: 'ffmpeg' }],
      threads: [{ tid: 10 }, { tid: 30, process: 1, name: 'ffmpeg' }],
      rows: {
        off_cpu: switches.toSorted((a, b) => a.startNs - b.startNs),
        on_cpu: [{ startNs: 1e6, durationNs: 4e6, thread: 1, cpu: 0 }],
      },
    });
    const [segment] = waitChain(trace, undefined, 0, 2e6, 5e6).segments;
    expect(segment).toMatchObject({ state: 'runnable', cpu: 0, proof: 'proven' });
    expect(segment.reason).toBe('waited for a CPU: ffmpeg ran');
    expect(segment.ran?.map(({ thread, ns }) => [thread.thread, ns])).toEqual([[1, 3e6]]);
  });

  test('joins repeated waits for one lock; its holder is who ended the last', () => {
    const lock = { syscall: calls.futex, syscallArg0: 4096, syscallArg1: futexOps.timed };
    const waits = [0, 1, 2].map((at) =>
      asleep(0, 10e6 + at * 5.01e6, 15e6 + at * 5.01e6, { ...lock, ...byTimer }),
    );
    const last = asleep(0, 25.03e6, 28e6, { ...lock, ...wokenBy(1) });
    const trace = plainTrace([...[0, 1].flatMap(around), ...waits, last]);
    // Up to the middle of the third wait: the whole series is one segment.
    const before = chainOf(trace, 8e6, 22e6);
    expect(before.segments.map(({ startNs, reason }) => [startNs, reason])).toEqual([
      [8e6, 'ran on a CPU'],
      [10e6, 'waited for a lock that t1 of Training process had, and asked for it again and again'],
    ]);
    expect(before.segments[1].proof).toBe('bound');
    // From behind the wake-up the holder itself is followed.
    expect(threadsOf(chainOf(trace, 8e6, 29e6))).toEqual([1, 0]);
  });

  test('ends though threads wake themselves or each other at one moment', () => {
    const trace = plainTrace([
      ...[0, 1, 2].flatMap(around),
      asleep(0, 1e6, 5e6, wokenBy(1)),
      asleep(1, 1e6, 5e6, wokenBy(0)),
      asleep(2, 1e6, 5e6, wokenBy(2)),
    ]);
    expect(chainOf(trace, 2e6, 6e6).segments.length).toBeLessThan(5);
    expect(chainOf(trace, 2e6, 6e6, 2).ending).toContain('it woke itself');
  });

  test('does not believe in a waker that was asleep all the while', () => {
    const trace = plainTrace([
      ...[0, 1].flatMap(around),
      asleep(0, 2e6, 5e6, wokenBy(1)),
      asleep(1, 1e6, 8e6, byTimer),
    ]);
    expect(threadsOf(chainOf(trace, 3e6, 5e6))).toEqual([0]);
  });

  test('goes on before the birth of a thread with who created it', () => {
    const trace = loaderTrace(plan);
    const chain = chainOf(trace, 500_000, 1_004_000, workerMain);
    expect(threadsOf(chain)).toEqual([main, workerMain, workerMain]);
    expect(chain.segments[1].state).toBe('runnable');
  });

  test('claims nothing where the switches are not all stored', () => {
    const trace = plainTrace([asleep(0, 1e6, 2e6), asleep(0, 4e6, 5e6)]);
    const chain = chainOf(trace, 0, 7e6);
    expect(chain.segments.map(({ proof }) => proof)).toEqual([
      'unknown',
      'proven',
      'proven',
      'proven',
      'unknown',
    ]);
    expect(chain.cannotTell[0].question).toBe('What was going on for 3.000 ms of this time?');
  });

  test('has at most 500 segments, however often threads take turns', () => {
    const turns = Array.from({ length: 2000 }, (_, at) =>
      asleep(0, 1e6 + at * 2000, 1e6 + at * 2000 + 1000, byTimer),
    );
    const chain = chainOf(plainTrace([...around(0), ...turns]), 0.5e6, 6e6);
    expect(chain.segments.length).toBeLessThanOrEqual(500);
    expect(chain.segments.some(({ reason }) => reason.includes('short stretches'))).toBe(true);
  });

  test('tiles its interval exactly, whatever a file claims', () => {
    const row = fc.record({
      ...{ thread: fc.nat(4), startNs: fc.nat(1000), durationNs: fc.nat(300) },
      ...{
        state: fc.constantFrom(-1, 0, 1, 2, 0x100, 0x800),
        runQueueNs: fc.integer({ min: -1, max: 400 }),
      },
      ...{ waker: fc.integer({ min: -1, max: 4 }), wakerContext: fc.nat(4) },
      ...{
        syscall: fc.constantFrom(-1, 0, 7, 202, 230),
        syscallArg0: fc.nat(2),
        syscallArg1: fc.constantFrom(1, 0x89, 0x189),
      },
      ...{ syscallArg2: fc.constantFrom(-1, 5000), cpuIn: fc.nat(1), cpuOut: fc.nat(1) },
    });
    const slice = fc.record({
      ...{ thread: fc.nat(4), startNs: fc.nat(1000), durationNs: fc.nat(100), cpu: fc.nat(1) },
    });
    const asked = fc.tuple(fc.nat(4), fc.nat(1200), fc.integer({ min: 1, max: 1200 }));
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.array(slice, { maxLength: 10 }),
        asked,
        (off, on, [thread, startNs, lengthNs]) => {
          const byStart = (a: { startNs: number }, b: { startNs: number }) => a.startNs - b.startNs;
          const built = buildTrace({
            processes: [
              { pid: 10, role: 'main' },
              { pid: 11, parent: 0, role: 'dataloader-worker' },
            ],
            threads: [0, 1, 2, 3, 4].map((at) => ({
              tid: 10 + at,
              process: at === 1 || at === 2 ? 1 : 0,
            })),
            rows: { off_cpu: off.toSorted(byStart), on_cpu: on.toSorted(byStart) },
          });
          const trace = { ...built, hosts: [{ cpuModel: 'Intel Xeon' }] };
          chainOf(trace, startNs, startNs + lengthNs, thread);
        },
      ),
      { seed: 5, numRuns: 800 },
    );
  });

  test('names a stranger only for what it did', () => {
    const trace = loaderTrace({ batches: 1, batchNs: 10e6, extra: [asleep(stranger, 5, 6)] });
    const { segments } = chainOf(trace, 2e6, 4e6);
    expect(segments.every(({ thread }) => thread.thread !== stranger)).toBe(true);
  });
});
