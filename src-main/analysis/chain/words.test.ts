import { expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { loaderTrace } from '../testing/loader-trace.ts';
import type { WhoRan } from './who-ran.ts';
import { runnableReason, waitReason } from './words.ts';

const trace = loaderTrace({ batches: 1, batchNs: 1_000_000 });
const MS = 1e6;

test('what is not all of a wait for a CPU is told with how much of it is', () => {
  const thread = { name: 'DataLoader worker 0' } as WhoRan['ran'][number]['thread'];
  const worker = (ns: number) => [{ thread, ns }] as unknown as WhoRan['ran'];
  const reason = (parts: Partial<WhoRan>) =>
    runnableReason(trace, { throttledNs: 0, idleNs: 0, unknownNs: 0, ran: [], ...parts } as WhoRan);
  expect(reason({ ran: worker(7 * MS) })).toBe('waited for a CPU: DataLoader worker 0 ran');
  expect(reason({ ran: worker(4 * MS), unknownNs: 3.5 * MS })).toBe(
    'waited for a CPU: DataLoader worker 0 ran, for 4.000 ms of it',
  );
  expect(reason({ ran: worker(4 * MS), throttledNs: 6 * MS })).toBe(
    'waited for a CPU: the quota of its control group was used up, for 6.000 ms of it',
  );
});

test('a stretch of no known state is told by the loader’s range that it lies in, and how much of it does', () => {
  const withRange = (ms: number, name: string) =>
    buildTrace({
      threads: [{ tid: 1 }],
      names: [['user_annotation', name]],
      rows: { range: [{ startNs: 0, durationNs: ms * MS, thread: 0, op: 0 }] },
    });
  const reason = (ms: number, name: string) =>
    waitReason(
      withRange(ms, name),
      { startNs: 0, endNs: 10 * MS, thread: 0, kind: 'unknown', row: -1 },
      () => ({}) as WhoRan['ran'][number]['thread'],
    );
  const next = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
  expect(reason(10, next)).toBe(
    `was in the loader’s next: ${next}; whether it ran or waited there is not in this trace`,
  );
  expect(reason(6, next)).toContain(`${next}, for 6.000 ms of it; whether`);
  expect(reason(4, next)).toBe('did something that is not in this trace');
  expect(reason(10, 'forward')).toBe('did something that is not in this trace');
});
