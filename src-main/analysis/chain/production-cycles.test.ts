import { describe, expect, test } from 'vitest';
import { cycleCauses } from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { jobsOf } from '../jobs/job-index.ts';
import {
  asleep,
  BORN_NS,
  byTimer,
  calls,
  futexOps,
  type LoaderPlan,
  loaderThreads,
  loaderTrace,
  putNsOf,
  wokenBy,
} from '../testing/loader-trace.ts';
import { causesOfWorker } from './cycle-causes.ts';
import { cycleOf } from './cycle-of.ts';
import { cycleAt, cycleSentBy, productionCycles } from './production-cycles.ts';

const { main, workerMain, feeder } = loaderThreads;
const WORKER = 1;
const plan: LoaderPlan = { batches: 3, batchNs: 10e6 };

const rankOf = (trace: Trace) => jobsOf(trace)[0].ranks[0];
const cyclesOf = (trace: Trace) => productionCycles(trace, rankOf(trace), WORKER);

/** A worker alone: it answers, waits, makes batches; `events` are what its two threads slept in. */
function handMade(events: readonly ReturnType<typeof asleep>[]): Trace {
  const around = [main, workerMain, feeder].map((thread) => asleep(thread, 9e8, 9e8 + 1, byTimer));
  return loaderTrace({ batches: 0, batchNs: 1e6, extra: [...around, ...events] });
}

const indexWait = (startNs: number, endNs: number) =>
  asleep(workerMain, startNs, endNs, {
    ...{ syscall: calls.poll, syscallArg1: 1, syscallArg2: 5000 },
    ...wokenBy(main),
  });
const putAt = (sinceNs: number, putNs: number) =>
  asleep(feeder, sinceNs, putNs, {
    ...{ syscall: calls.futex, syscallArg1: futexOps.endless },
    ...wokenBy(workerMain),
  });

describe('productionCycles', () => {
  test('finds every batch: asked for, put, sent', () => {
    const trace = loaderTrace(plan);
    const cycles = cyclesOf(trace);
    expect(cycles).toMatchObject({ count: 3, basis: 'exact', feeder, mainThread: workerMain });
    const puts = [0, 1, 2].map((batch) => putNsOf(plan, batch));
    expect([...cycles.putsNs]).toEqual(puts);
    expect([...cycles.endsNs]).toEqual(puts.map((ns) => ns + 20_000));
    expect([...cycles.startsNs]).toEqual([BORN_NS - 1000, puts[0], puts[1]]);
    expect(cyclesOf(trace)).toBe(cycles);
  });

  test('begins a batch when its index came, and names the start of a new worker', () => {
    const trace = handMade([
      indexWait(3e6, 4e6),
      putAt(2e6, 9e6),
      putAt(9.1e6, 20e6),
      indexWait(9.2e6, 15e6),
    ]);
    const cycles = cyclesOf(trace);
    expect([...cycles.startsNs]).toEqual([BORN_NS - 1000, 15e6]);
    expect([...cycles.freeNs]).toEqual([BORN_NS - 1000, 9e6]);
    const parts = cycleOf(trace, rankOf(trace), WORKER, 0).parts;
    const nsOf = (cause: string) => parts.find((part) => part.cause === cause)?.ns;
    expect(nsOf('starting')).toBe(3e6 - (BORN_NS - 1000));
    expect(nsOf('waiting-for-index')).toBe(1e6);
    expect(nsOf('running')).toBe(5e6);
    expect(nsOf('sending')).toBe(100_000);
    expect(cycleAt(cycles, 12e6)).toBe(1);
    expect(cycleAt(cycles, 25e6)).toBe(-1);
  });

  test('takes the first batch that was put meanwhile for what was waited for: a new feeder sends it late', () => {
    const trace = handMade([putAt(2e6, 10e6), putAt(10.1e6, 12e6), putAt(12.1e6, 30e6)]);
    const cycles = cyclesOf(trace);
    expect([...cycles.putsNs]).toEqual([10e6, 12e6, 30e6]);
    expect(cycleSentBy(cycles, 5e6, 13e6)).toBe(0);
    expect(cycleSentBy(cycles, 11e6, 13e6)).toBe(1);
    // Put right before the wait began, and sent in it.
    expect(cycleSentBy(cycles, 12.01e6, 12.1e6)).toBe(1);
    expect(cycleSentBy(cycles, 1e6, 2e6)).toBe(-1);
  });

  test('counts a batch that found the feeder still busy with the one before', () => {
    const trace = handMade([
      ...[putAt(2e6, 10e6), indexWait(18e6, 19e6), putAt(19e6, 30e6), putAt(30.1e6, 40e6)],
    ]);
    expect([...cyclesOf(trace).putsNs]).toEqual([10e6, 18e6, 30e6, 40e6]);
  });

  test('leaves out the answer of a worker that lives for another epoch', () => {
    const trace = handMade([
      ...[putAt(2e6, 10e6), putAt(10.1e6, 20e6), putAt(20.1e6, 30e6)],
      ...[indexWait(30.2e6, 40e6), putAt(30.1e6, 40.2e6), indexWait(40.3e6, 41e6)],
      ...[putAt(40.4e6, 50e6)],
    ]);
    const cycles = cyclesOf(trace);
    expect([...cycles.putsNs]).toEqual([10e6, 20e6, 30e6, 50e6]);
    expect(cycles.freeNs[3]).toBe(30e6);
    expect(cycles.startsNs[3]).toBe(41e6);
    // Nothing could be asked for before the first batch of an epoch.
    expect(cycles.firsts).toEqual([0, 3]);
  });

  test('parts of each cycle are disjoint and sum to it; each sleep names its longest event', () => {
    const trace = loaderTrace(plan);
    for (let cycle = 0; cycle < 3; cycle++) {
      const { parts, startNs, endNs } = cycleOf(trace, rankOf(trace), WORKER, cycle);
      expect(parts.reduce((ns, part) => ns + part.ns, 0)).toBe(endNs - startNs);
      const sleep = parts.find(({ cause }) => cause === 'sleeping')?.event;
      expect(trace.tables.off_cpu.columns.durationNs[sleep?.row ?? -1]).toBe(9.99e6);
    }
  });

  test('takes what a worker_init_fn, or a worker that is spawned, did for its start, though the first index lay ready', () => {
    const python = (symbol: string, file: string) =>
      ({ symbol, file, line: 1, language: 'python' }) as const;
    const loop = python(
      '_worker_loop',
      '/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py',
    );
    const stacks = [
      [python('load_index', '/home/me/train.py'), loop],
      [python('get', '/usr/lib/python3.11/queue.py'), loop],
      [python('exec_module', '<frozen importlib._bootstrap_external>')],
    ];
    const sampled = (...found: readonly number[]) =>
      found.map((stack, at) => ({ startNs: (4 + 2 * at) * 1e6, thread: 1, stack }));
    const own = { batches: 2, batchNs: 10e6, stacks, rows: { cpu_sample: sampled(0, 0, 1) } };
    const startingNs = (trace: Trace) =>
      cycleOf(trace, rankOf(trace), WORKER, 0).parts.find(({ cause }) => cause === 'starting')?.ns;
    expect(startingNs(loaderTrace(own))).toBe(6e6 - (BORN_NS - 1000));
    const spawned = { ...own, rows: { cpu_sample: sampled(2, 2, 1) } };
    expect(startingNs(loaderTrace(spawned))).toBe(6e6 - (BORN_NS - 1000));
    expect(startingNs(loaderTrace({ ...own, rows: {} }))).toBeUndefined();
  });

  test('is not exact where switches are missing, and says nothing without a feeder', () => {
    const gap = { gap: [{ startNs: 12e6, durationNs: 1e6, lost: 5 }] };
    const lossy = cyclesOf(loaderTrace({ ...plan, rows: gap }));
    expect(lossy.basis).toBe('inferred');
    expect(lossy.note).toMatch(/^Not every switch/);
    const none = cyclesOf(handMade([indexWait(3e6, 4e6)]));
    expect(none).toMatchObject({ count: 0, basis: 'unknown' });
    expect(none.note).toMatch(/batches, so they cannot be told apart/);
  });

  test('sums what a worker did over any time, its waits for an index among it', () => {
    const trace = handMade([
      indexWait(3e6, 4e6),
      putAt(2e6, 9e6),
      putAt(9.1e6, 20e6),
      indexWait(9.2e6, 15e6),
    ]);
    const { ns } = causesOfWorker(trace, rankOf(trace), cyclesOf(trace), 0, 20e6);
    const told = Object.fromEntries(cycleCauses.map((cause, code) => [cause, ns[code]]));
    expect(told).toMatchObject({ 'waiting-for-index': 6.8e6, starting: 3e6 - (BORN_NS - 1000) });
    expect(ns.reduce((sum, part) => sum + part, 0)).toBe(20e6 - (BORN_NS - 1000));
  });
});
