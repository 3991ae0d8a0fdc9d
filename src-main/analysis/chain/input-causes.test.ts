import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cycleCauses } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { jobsOf } from '../jobs/job-index.ts';
import {
  asleep,
  BORN_NS,
  byTimer,
  calls,
  type LoaderPlan,
  loaderThreads,
  loaderTrace,
  putNsOf,
} from '../testing/loader-trace.ts';
import { inputCauses, whoseCodes } from './input-causes.ts';

const plan: LoaderPlan = { batches: 3, batchNs: 10e6 };

function causesOver(trace: Trace, ...intervals: readonly (readonly [number, number])[]) {
  const starts = Float64Array.from(intervals, ([startNs]) => startNs);
  const ends = Float64Array.from(intervals, ([, endNs]) => endNs);
  return inputCauses(trace, jobsOf(trace)[0].ranks[0], starts, ends);
}

type Causes = ReturnType<typeof inputCauses>;

const told = ({ whose, causes, ns }: Causes) =>
  [...ns].map((value, at) => [whoseCodes[whose[at]], cycleCauses[causes[at]], value]);

function sums({ offsets, ns }: Causes): number[] {
  return Array.from({ length: offsets.length - 1 }, (_, at) =>
    ns.subarray(offsets[at], offsets[at + 1]).reduce((sum, value) => sum + value, 0),
  );
}

describe('inputCauses', () => {
  test('gives the wait to what made the batch, scaled; the rest is the main thread’s own', () => {
    const putNs = putNsOf(plan, 1);
    const found = causesOver(loaderTrace(plan), [putNs - 5e6, putNs + 30_000]);
    expect(sums(found)).toEqual([5.03e6]);
    const [own, ...workers] = told(found);
    expect(own).toEqual(['main', 'running', 10_000]);
    expect(workers.map(([who, cause]) => [who, cause])).toEqual([
      ['worker', 'running'],
      ['worker', 'sleeping'],
      ['worker', 'sending'],
    ]);
    // 9.99 of the 10 ms that its making took were slept; 5 ms of that were waited, and 20 µs for its sending.
    expect(workers[1][2]).toBeCloseTo((9.99 / 10) * 5e6, -1);
    expect(workers[2][2]).toBe(20_000);
    expect([...found.workers]).toEqual([-1, 1, 1, 1]);
    expect([...found.cycles]).toEqual([-1, 1, 1, 1]);
  });

  test('calls what a batch that is made is waited for its sending, and what held that up', () => {
    const { feeder } = loaderThreads;
    const putNs = putNsOf(plan, 0);
    const sent = causesOver(loaderTrace(plan), [putNs + 5000, putNs + 20_000]);
    expect(told(sent)).toEqual([['worker', 'sending', 15_000]]);
    // The worker's main thread is at the next batch for 5 µs before it sleeps, and the feeder waits for it until it wakes.
    const waits = asleep(feeder, putNs + 2000, putNs + 15_000, {
      syscall: calls.futex,
      ...byTimer,
    });
    const held = causesOver(loaderTrace({ ...plan, extra: [waits] }), [
      putNs + 3000,
      putNs + 20_000,
    ]);
    expect(told(held)).toEqual([
      ['worker', 'running', 2000],
      ['worker', 'sending', 15_000],
    ]);
  });

  test('sees through the pin-memory thread, whose own time is the training process’s', () => {
    const putNs = putNsOf(plan, 1);
    const trace = loaderTrace({ ...plan, pinned: true });
    const found = causesOver(trace, [putNs - 5e6, putNs + 60_000]);
    expect(sums(found)).toEqual([5.06e6]);
    // 30 µs in the pin-memory thread, 10 µs behind the wait.
    expect(told(found)[0]).toEqual(['main', 'running', 40_000]);
    expect([...found.cycles]).toEqual([-1, 1, 1, 1]);
  });

  test('without workers it is what the main thread did itself', () => {
    const { main } = loaderThreads;
    const slept = asleep(main, 20e6, 30e6, { syscall: calls.sleep, ...byTimer });
    const ready = asleep(main, 32e6, 36e6, { state: 0, runQueueNs: 4e6, throttledNs: 3e6 });
    const around = [asleep(main, 0, 1), asleep(main, 9e8, 9e8 + 1)];
    const trace = loaderTrace({ batches: 0, batchNs: 1e6, extra: [...around, slept, ready] });
    expect(told(causesOver(trace, [19e6, 40e6]))).toEqual([
      ['main', 'running', 7e6],
      ['main', 'throttled', 3e6],
      ['main', 'sleeping', 10e6],
      ['main', 'unknown', 1e6],
    ]);
  });

  test('until the last worker of a stretch is born the main thread starts them, and no longer', () => {
    const { main } = loaderThreads;
    const slept = asleep(main, 0.4e6, 0.7e6, { syscall: calls.sleep, ...byTimer });
    const trace = loaderTrace({ ...plan, extra: [slept] });
    expect(told(causesOver(trace, [0.2e6, BORN_NS + 50_000]))).toEqual([
      ['main', 'running', 50_000],
      ['main', 'starting', BORN_NS - 0.2e6],
    ]);
    expect(told(causesOver(trace, [0.3e6, 0.8e6]))).toEqual([
      ['main', 'running', 0.2e6],
      ['main', 'sleeping', 0.3e6],
    ]);
  });

  test('does not call unknown what it knows, nor known what it does not', () => {
    const putNs = putNsOf(plan, 1);
    const gap = { gap: [{ startNs: putNs - 2e6, durationNs: 10, lost: 1 }] };
    const found = causesOver(loaderTrace({ ...plan, rows: gap }), [putNs + 21_000, putNs + 90_000]);
    expect(told(found)).toEqual([['main', 'running', 69_000]]);
    const nothing = causesOver(loaderTrace(plan), [900e6, 901e6]);
    expect(told(nothing)).toEqual([['main', 'unknown', 1e6]]);
  });

  test('the ns of every interval sum to its length', () => {
    const traces = [plan, { ...plan, pinned: true }].map(loaderTrace);
    const interval = fc.tuple(fc.nat(40e6), fc.integer({ min: 1, max: 30e6 }));
    fc.assert(
      fc.property(
        fc.array(interval, { minLength: 1, maxLength: 20 }),
        fc.nat(1),
        (asked, which) => {
          const intervals = asked.map(([startNs, ns]) => [startNs, startNs + ns] as const);
          expect(sums(causesOver(traces[which], ...intervals))).toEqual(asked.map(([, ns]) => ns));
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });
});
