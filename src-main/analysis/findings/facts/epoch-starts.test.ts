import { expect, test } from 'vitest';
import { jobsOf } from '../../jobs/job-index.ts';
import {
  asleep,
  byTimer,
  calls,
  futexOps,
  loaderThreads,
  loaderTrace,
  wokenBy,
} from '../../testing/loader-trace.ts';
import { epochStartsText } from './epoch-starts.ts';

const { main, workerMain, feeder } = loaderThreads;
const MS = 1e6;

/** What is said of one worker over four epochs of one batch that takes another time, and `others` of 10 ms. */
function said(firstMs: number, others = 3): string {
  const around = [main, workerMain, feeder].map((thread) => asleep(thread, 9e8, 9e8 + 1, byTimer));
  const events: ReturnType<typeof asleep>[] = [];
  let atNs = 2 * MS;
  const put = (ns: number) => {
    const idle = { syscall: calls.futex, syscallArg1: futexOps.endless, ...wokenBy(workerMain) };
    events.push(asleep(feeder, atNs + 0.1 * MS, atNs + ns, idle));
    atNs += ns;
  };
  const waitForIndex = (ns: number) => {
    const inPoll = { syscall: calls.poll, syscallArg1: 1, syscallArg2: 5000, ...wokenBy(main) };
    events.push(asleep(workerMain, atNs + 0.2 * MS, atNs + ns, inPoll));
  };
  for (let epoch = 0; epoch < 4; epoch++) {
    if (epoch > 0) {
      waitForIndex(5 * MS);
      put(5.2 * MS);
      waitForIndex(0.9 * MS);
    }
    put((epoch === 0 ? 10 : firstMs + 1) * MS);
    for (let batch = 0; batch < others; batch++) put(10 * MS);
  }
  const trace = loaderTrace({ batches: 0, batchNs: MS, extra: [...around, ...events] });
  const workers = [{ process: 1 }] as unknown as Parameters<typeof epochStartsText>[0]['workers'];
  return epochStartsText({ trace, rank: jobsOf(trace)[0].ranks[0], workers });
}

test('what workers do at the begin of each epoch is told, where it is most of their work', () => {
  expect(said(100)).toMatch(
    / Most of that was for the first batch of each epoch, .*: 3 such batches took 100\.\d ms each \(median\), others 10\.00 ms\.$/,
  );
});

test('it is not where it is little, nor where an epoch has no other batch to compare with', () => {
  expect(said(12)).toBe('');
  expect(said(100, 0)).toBe('');
});
