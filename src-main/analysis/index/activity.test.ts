import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { threadActivity } from './activity.ts';

const names = [
  ['HOST', 'sched_switch'],
  ['HOST', 'mm_page_alloc'],
  ['DRIVER', 'sched_switch'],
  ['', 'HOST'],
] as const;
const minute = { source: 3, startNs: 0, durationNs: 60 };

describe('threadActivity', () => {
  test('takes the recorder’s sums, and single events only where no bucket covers them', () => {
    const trace = buildTrace({
      names,
      threads: [{ tid: 1 }, { tid: 2 }],
      rows: {
        aggregate: [
          { ...minute, thread: 1, op: 0, count: 50, totalNs: 900, maxNs: 70 },
          { ...minute, thread: 0, op: 1, count: 7, bytes: 28_672 },
          { ...minute, thread: 0, op: 2, count: 1000 },
        ],
        off_cpu: [
          { thread: 0, startNs: 1, durationNs: 4 },
          { thread: 1, startNs: 2, durationNs: 5 },
          { thread: 1, startNs: 55, durationNs: 20 },
          { thread: -1, startNs: 56, durationNs: 20 },
        ],
      },
    });
    const activity = threadActivity(trace);
    expect([...activity.switches]).toEqual([1, 51]);
    expect([...activity.offCpuNs]).toEqual([4, 920]);
    expect([...activity.longestOffCpuNs]).toEqual([4, 70]);
    expect([...activity.pageAllocations]).toEqual([7, 0]);
    expect([...activity.pageAllocationBytes]).toEqual([28_672, 0]);
    expect(activity.uncountedSwitchBuckets).toBe(0);
  });

  test('believes the events where the file holds more of them than were counted', () => {
    const trace = buildTrace({
      names,
      threads: [{ tid: 1 }],
      rows: {
        aggregate: [{ ...minute, thread: 0, op: 0, count: 1, totalNs: 3, maxNs: 3 }],
        off_cpu: [
          { thread: 0, startNs: 1, durationNs: 4 },
          { thread: 0, startNs: 10, durationNs: 5 },
        ],
      },
    });
    const activity = threadActivity(trace);
    expect([activity.switches[0], activity.offCpuNs[0]]).toEqual([2, 9]);
    expect(activity.uncountedSwitchBuckets).toBe(1);
  });

  test('adds stored events that were not counted: what happened is count − stored + rows', () => {
    const off = (startNs: number) => ({ thread: 0, startNs, durationNs: 4 });
    const of = (stored: number, totalNs: number) => {
      const trace = buildTrace({
        names,
        threads: [{ tid: 1 }],
        rows: {
          aggregate: [{ ...minute, thread: 0, op: 0, count: 100, stored, totalNs, maxNs: 3 }],
          off_cpu: [off(1), off(10), off(20)],
        },
      });
      const { switches, offCpuNs, uncountedSwitchBuckets } = threadActivity(trace);
      return [switches[0], offCpuNs[0], uncountedSwitchBuckets];
    };
    expect(of(0, 900)).toEqual([103, 912, 1]);
    expect(of(2, 900)).toEqual([101, 900, 1]);
    expect(of(3, 900)).toEqual([100, 900, 0]);
    // Two of them were removed from the file since: they happened all the same.
    expect(of(5, 900)).toEqual([100, 900, 0]);
  });

  test('takes of each figure the higher of the recorder’s and the events’', () => {
    const figures = fc.record({ count: fc.nat(9), totalNs: fc.nat(99), maxNs: fc.nat(99) });
    const durations = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 9 });
    fc.assert(
      fc.property(figures, durations, (sum, times) => {
        const trace = buildTrace({
          names,
          threads: [{ tid: 1 }],
          rows: {
            aggregate: [{ ...minute, thread: 0, op: 0, ...sum }],
            off_cpu: times.map((durationNs) => ({ thread: 0, startNs: 1, durationNs })),
          },
        });
        const { switches, offCpuNs, longestOffCpuNs } = threadActivity(trace);
        const total = times.reduce((all, ns) => all + ns, 0);
        expect(switches[0]).toBe(Math.max(sum.count, times.length));
        expect(offCpuNs[0]).toBe(Math.max(sum.totalNs, total));
        expect(longestOffCpuNs[0]).toBe(Math.max(sum.maxNs, ...times));
      }),
    );
  });

  test('counts no page allocation twice that was summed by process and stored by thread', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 100 }],
      threads: [
        { tid: 99, process: 0 },
        { tid: 100, process: 0 },
        { tid: 101, process: 0 },
      ],
      rows: {
        aggregate: [{ ...minute, thread: 1, op: 1, count: 10, bytes: 40_960 }],
        page_alloc: Array.from({ length: 10 }, () => ({ thread: 2, startNs: 5, bytes: 4096 })),
      },
    });
    const { pageAllocations, pageAllocationBytes, pagesByProcess } = threadActivity(trace);
    expect([...pageAllocations]).toEqual([0, 10, 0]);
    expect([...pageAllocationBytes]).toEqual([0, 40_960, 0]);
    expect(pagesByProcess).toBe(true);
  });

  test('leaves page allocations with their threads where no sums were kept', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 100 }],
      threads: [
        { tid: 100, process: 0 },
        { tid: 101, process: 0 },
      ],
      rows: { page_alloc: [{ thread: 1, startNs: 5, bytes: 4096 }] },
    });
    expect([...threadActivity(trace).pageAllocations]).toEqual([0, 1]);
  });

  test('adds up what the recorder summed of several threads of a process', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 100 }],
      threads: [
        { tid: 100, process: 0 },
        { tid: 101, process: 0 },
      ],
      rows: {
        aggregate: [
          { ...minute, thread: 0, op: 1, count: 3 },
          { ...minute, thread: 1, op: 1, count: 4 },
        ],
      },
    });
    expect([...threadActivity(trace).pageAllocations]).toEqual([7, 0]);
  });
});
