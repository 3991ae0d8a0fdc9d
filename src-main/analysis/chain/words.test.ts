import { expect, test } from 'vitest';
import { loaderTrace } from '../testing/loader-trace.ts';
import type { WhoRan } from './who-ran.ts';
import { runnableReason } from './words.ts';

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
