import { describe, expect, it } from 'vitest';
import { threadActivity } from './activity.ts';
import { buildTrace } from './testing/build-trace.ts';

const names = [
  ['HOST', 'sched_switch'],
  ['HOST', 'mm_page_alloc'],
  ['DRIVER', 'sched_switch'],
  ['', 'HOST'],
] as const;
const minute = { source: 3, startNs: 0, durationNs: 60 };

describe('threadActivity', () => {
  it('takes the recorder’s sums, and single events only where no bucket covers them', () => {
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
    expect(activity.contradictedBuckets).toBe(0);
  });

  it('believes the events where the file holds more of them than were counted', () => {
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
    expect(activity.contradictedBuckets).toBe(1);
  });
});
