import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Phase, phases } from '../../shared/answers/steps.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { Row } from '../testing/build-trace.ts';
import { calls, wokenBy } from '../testing/loader-trace.ts';
import { phasesOf } from './phases.ts';
import {
  ALLOCATE,
  AUTOGRAD,
  COLLECTIVE_STACK,
  COPY,
  call,
  DEVICE_SYNC,
  LAUNCH,
  LOADER_RANGE,
  LOADER_STACK,
  loopRank,
  loopTrace,
  MAIN,
  MS,
  oneStep,
  PIN,
  queueWait,
  STEP_RANGE,
  SYNC,
  steps,
  TRAIN_STACK,
  VALIDATION_STACK,
  WORKER,
} from './testing/loop-trace.ts';

/** ns of each phase between two moments. */
function between(trace: Trace, fromNs: number, toNs: number): Record<Phase, number> {
  const found = phasesOf(trace, loopRank());
  const sums = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>;
  found.phases.forEach((code, at) => {
    const ns = Math.min(found.endsNs[at], toNs) - Math.max(found.startsNs[at], fromNs);
    sums[phases[code]] += Math.max(0, ns);
  });
  return sums;
}

const sample = (startNs: number, stack: number) => ({ startNs, thread: MAIN, stack });

describe('steps', () => {
  it('finds them by the copy that repeats', () => {
    const { summary } = phasesOf(loopTrace({ cuda_call: steps(20) }), loopRank());
    expect(summary).toMatchObject({ basis: 'signature', count: 20, window: [0, 195 * MS] });
    expect(summary.note).toContain('cudaMemcpyAsync to the device, 1.000 MiB, train.py:5');
    expect(summary.typical?.durationNs).toBe(10 * MS);
  });

  it('does not find fewer than ten, nor in calls without a pattern', () => {
    const few = phasesOf(loopTrace({ cuda_call: steps(9) }), loopRank()).summary;
    expect(few).toMatchObject({ basis: 'none', count: 0, window: [0, 85 * MS] });
    expect(few.note).toContain('Steps not found');
    const irregular = Array.from({ length: 40 }, (_, at) => [
      call(COPY, at * 10 * MS, MS),
      ...Array.from({ length: (at * 7) % 13 }, (__, nth) =>
        call(SYNC, at * 10 * MS + (2 + nth * 0.2) * MS, 1e4),
      ),
    ]).flat();
    expect(phasesOf(loopTrace({ cuda_call: irregular }), loopRank()).summary.basis).toBe('none');
  });

  it('trusts no pattern where not every call is stored, or nobody knows whether', () => {
    const provenance = { cuda_call: { kind: 'partial', note: '' } } as const;
    const summed = (count: number) => {
      const aggregate = [{ op: SYNC, thread: MAIN, durationNs: 1e9, count, stored: 20 }];
      const trace = loopTrace({ cuda_call: steps(20), aggregate }, { provenance });
      return phasesOf(trace, loopRank()).summary;
    };
    expect(summed(900)).toMatchObject({ basis: 'none', isSelection: true, keptCalls: 'some' });
    expect(summed(900).note).toContain('Steps not found: not every CUDA call is stored');
    expect(summed(20)).toMatchObject({ basis: 'none', isSelection: true, keptCalls: 'unknown' });
    expect(summed(20).note).toContain('whether every CUDA call is stored is not known');
    const partial = loopTrace({ cuda_call: [] }, { provenance });
    expect(phasesOf(partial, loopRank()).summary.note).toContain('sums only');
  });

  it('keeps the pattern through extra waits and a smaller last batch of each epoch', () => {
    const calls = Array.from({ length: 30 }, (_, step) => [
      ...oneStep(step * 10 * MS, step % 10 === 9 ? { bytes: 5e5 } : {}),
      ...(step % 6 === 5 ? [call(SYNC, step * 10 * MS + 6 * MS, MS)] : []),
    ]).flat();
    const { summary } = phasesOf(loopTrace({ cuda_call: calls }), loopRank());
    expect(summary).toMatchObject({ basis: 'signature', count: 30 });
  });

  it('takes a copy made several times a step for one step', () => {
    const calls = Array.from({ length: 20 }, (_, step) => [
      call(COPY, step * 10 * MS, MS),
      call(COPY, (step * 10 + 1.1) * MS, MS),
      call(COPY, (step * 10 + 2.2) * MS, MS),
      call(SYNC, (step * 10 + 4) * MS, MS),
    ]).flat();
    const found = phasesOf(loopTrace({ cuda_call: calls }), loopRank());
    expect(found.summary.count).toBe(20);
    expect(found.stepStartsNs[1]).toBe(10 * MS);
  });

  it('begins a step with the batch, not with what is copied after it', () => {
    const calls = Array.from({ length: 20 }, (_, step) => [
      call(COPY, step * 10 * MS, MS),
      call(COPY, (step * 10 + 1.1) * MS, 0.1 * MS, { bytes: 800 }),
      call(SYNC, (step * 10 + 2) * MS, MS),
    ]).flat();
    expect(phasesOf(loopTrace({ cuda_call: calls }), loopRank()).stepStartsNs[0]).toBe(0);
  });

  it('leaves the batches of a validation out', () => {
    const validation = Array.from({ length: 5 }, (_, at) =>
      oneStep((205 + at * 10) * MS, { stack: VALIDATION_STACK }),
    ).flat();
    const calls = [...steps(20), ...validation, ...steps(20, 300 * MS)];
    const { summary, stepEndsNs } = phasesOf(loopTrace({ cuda_call: calls }), loopRank());
    expect(summary).toMatchObject({ count: 40, window: [0, 495 * MS] });
    expect(stepEndsNs[19]).toBe(195 * MS);
    expect(summary.note).toContain('another loop');
  });

  it('takes ranges that mark the steps before any pattern', () => {
    const annotation = Array.from({ length: 4 }, (_, at) => ({
      startNs: at * 50 * MS,
      durationNs: 40 * MS,
      thread: MAIN,
      op: STEP_RANGE,
      category: 5,
    }));
    const { summary } = phasesOf(
      loopTrace({ cuda_call: steps(20), range: annotation }),
      loopRank(),
    );
    expect(summary).toMatchObject({ basis: 'annotation', count: 4, window: [0, 190 * MS] });
  });

  it('says nothing of a rank without calls', () => {
    const { summary, phases: codes } = phasesOf(loopTrace({}), loopRank({ mainThread: -1 }));
    expect(summary).toMatchObject({ basis: 'none', count: 0, window: [0, 0] });
    expect(codes).toHaveLength(0);
  });
});

describe('phases', () => {
  it('joins a copy with the wait that directly follows', () => {
    const calls = Array.from({ length: 12 }, (_, step) => [
      call(COPY, step * 10 * MS, MS),
      call(SYNC, (step * 10 + 1.01) * MS, MS),
      call(LAUNCH, (step * 10 + 3) * MS, MS),
      call(DEVICE_SYNC, (step * 10 + 5) * MS, 2 * MS),
    ]).flat();
    const split = between(loopTrace({ cuda_call: calls }), 10 * MS, 20 * MS);
    expect(split.h2d).toBeCloseTo(2.01 * MS);
    expect(split.compute).toBe(3 * MS);
    expect(split.other).toBeCloseTo(10 * MS - 5.01 * MS);
  });

  it('does not count as a copy what waited for kernels', () => {
    // Never waited for by anything but the copy of the next step: 8 of its 9 ms are the kernels’.
    const calls = Array.from({ length: 12 }, (_, step) => [
      call(COPY, step * 10 * MS, step === 0 ? MS : 9 * MS),
      call(LAUNCH, (step * 10 + 9.2) * MS, 0.1 * MS),
    ]).flat();
    const split = between(loopTrace({ cuda_call: calls }), 10 * MS, 20 * MS);
    // 1 MiB at 1 GB/s at most, and what submitting takes.
    expect(split.h2d).toBe(2 ** 20 + 20_000);
    expect(split.compute).toBe(9.1 * MS - split.h2d);
  });

  it('counts waits that a worker ended as input, and between two of them', () => {
    const off = [queueWait(16 * MS, MS), queueWait(17.2 * MS, MS)];
    const split = between(loopTrace({ cuda_call: steps(12), off_cpu: off }), 10 * MS, 20 * MS);
    expect(split.input).toBe(2.2 * MS);
    expect(split.other).toBe(10 * MS - 2.2 * MS - 4.7 * MS);
  });

  it('counts a preemption right beside such a wait, not one further off or beyond a call', () => {
    const preempted = (startNs: number, durationNs: number) => ({
      ...queueWait(startNs, durationNs, -1),
      state: 0,
    });
    const off = [
      preempted(16 * MS, MS),
      queueWait(17.2 * MS, MS),
      preempted(26 * MS, MS),
      queueWait(27.5 * MS, MS),
      // Before a launch, with the wait after it.
      preempted(121.25 * MS, 0.03 * MS),
      queueWait(121.45 * MS, 0.01 * MS),
    ];
    const trace = loopTrace({ cuda_call: steps(13), off_cpu: off });
    expect(between(trace, 10 * MS, 20 * MS).input).toBeCloseTo(2.2 * MS);
    expect(between(trace, 20 * MS, 30 * MS).input).toBe(MS);
    expect(between(trace, 120 * MS, 125 * MS).input).toBeCloseTo(0.01 * MS);
  });

  it('counts no other wait as input: preempted, another thread’s wake, inside a call', () => {
    const off = [
      { ...queueWait(16 * MS, MS), state: 0 },
      queueWait(26 * MS, MS, AUTOGRAD),
      queueWait(32 * MS, MS),
      // Shorter than the interpreter lock's interval: the pin-memory thread may have passed that on.
      queueWait(46 * MS, MS, PIN),
    ];
    const found = phasesOf(loopTrace({ cuda_call: steps(12), off_cpu: off }), loopRank());
    expect(found.summary.total.input).toBe(0);
  });

  it('knows the pin-memory thread’s queue by a wait too long for the interpreter lock', () => {
    const off = [
      { ...queueWait(125.2 * MS, 6 * MS, PIN), syscallArg0: 4096 },
      { ...queueWait(141 * MS, MS, PIN), syscallArg0: 4096 },
      { ...queueWait(151 * MS, MS, PIN), syscallArg0: 8192 },
    ];
    const calls = [...steps(12), ...steps(12, 135 * MS)];
    const found = phasesOf(loopTrace({ cuda_call: calls, off_cpu: off }), loopRank());
    expect(found.summary.total.input).toBe(7 * MS);
  });

  it('counts between samples that agree, and not between those that do not', () => {
    const cpu_sample = [
      sample(16 * MS, LOADER_STACK),
      sample(19 * MS, LOADER_STACK),
      sample(26 * MS, LOADER_STACK),
      sample(28 * MS, TRAIN_STACK),
      // In a CUDA call.
      sample(42 * MS, LOADER_STACK),
      sample(43 * MS, LOADER_STACK),
    ];
    const found = phasesOf(loopTrace({ cuda_call: steps(12), cpu_sample }), loopRank());
    expect(found.summary.total.input).toBe(3 * MS);
  });

  it('counts all of a kind of gap where nine of ten samples in such gaps say so', () => {
    const loading = Array.from({ length: 9 }, (_, at) => sample((10 * at + 7) * MS, LOADER_STACK));
    const found = phasesOf(loopTrace({ cuda_call: steps(21), cpu_sample: loading }), loopRank());
    // So many samples that agree make sure of 62 %: Wilson's lower limit, by hand 9 / (9 + 2.326²).
    const sure = 20 * 5 * MS * (9 / (9 + 2.326 ** 2));
    expect(found.summary.total.input).toBeGreaterThanOrEqual(Math.floor(sure));
    // Between the gap's begin and its sample, the loader is where the sample is.
    expect(found.summary.total.input).toBeLessThan(20 * 5 * MS);
    const mixed = loading.map(({ startNs }, at) =>
      sample(startNs, at % 3 === 0 ? TRAIN_STACK : LOADER_STACK),
    );
    const other = phasesOf(loopTrace({ cuda_call: steps(21), cpu_sample: mixed }), loopRank());
    expect(other.summary.total.input).toBe(0);
  });

  it('counts gaps of one length where the samples in those agree, whatever those in longer ones say', () => {
    // Ten steps of 10 ms, and after each ten 40 ms in which it does something else: three times.
    const rounds = [0, 1, 2].map((round) => round * 135 * MS);
    const cuda_call = rounds.flatMap((fromNs) => steps(11, fromNs));
    const loading = rounds.flatMap((fromNs) =>
      Array.from({ length: 10 }, (_, at) => sample(fromNs + (10 * at + 7) * MS, LOADER_STACK)),
    );
    const saving = rounds.flatMap((fromNs) =>
      [110, 117, 124, 131].map((ms) => sample(fromNs + ms * MS, TRAIN_STACK)),
    );
    const cpu_sample = [...loading, ...saving].toSorted((a, b) => a.startNs - b.startNs);
    const { input } = phasesOf(loopTrace({ cuda_call, cpu_sample }), loopRank()).summary.total;
    const sure = 30 * 5 * MS * (30 / (30 + 2.326 ** 2));
    // Each gap is told to the ns.
    expect(input).toBeGreaterThanOrEqual(sure - 30);
    expect(input).toBeLessThan(30 * 5 * MS);
  });

  it('says nothing of a wait by the samples around it, unless they are of one visit to the loader', () => {
    const loading = Array.from({ length: 200 }, (_, at) =>
      sample((10 * (at >> 1) + (at % 2 === 0 ? 7 : 9)) * MS, LOADER_STACK),
    );
    const input = (off: Row<'off_cpu'>) => {
      const off_cpu = [{ thread: MAIN, state: 1, ...wokenBy(-1), ...off }];
      const rows = { cuda_call: steps(101), cpu_sample: loading, off_cpu };
      return phasesOf(loopTrace(rows, { machine: { cpuModel: 'Xeon' } }), loopRank()).summary.total
        .input;
    };
    const before = { startNs: 15.5 * MS, durationNs: MS };
    const within = { startNs: 17.5 * MS, durationNs: MS };
    const all = input({ ...before, durationNs: 0 });
    // Of a wait for nobody knows what, in a part of which 97.4 % is surely input.
    expect(all - input(before)).toBeGreaterThan(0.97 * MS);
    expect(input(within)).toBe(all);
    expect(input({ ...within, syscall: calls.read })).toBe(all);
    expect(input({ ...within, syscall: calls.write })).toBe(all - MS);
  });

  it('does not know input where a wait beside the loader may have been for it', () => {
    const cpu_sample = Array.from({ length: 100 }, (_, at) =>
      sample((10 * at + 5.1) * MS, LOADER_STACK),
    );
    const off_cpu = cpu_sample.map(({ startNs }) => ({
      ...queueWait(startNs + 0.1 * MS, 4.7 * MS, -1),
      syscall: calls.read,
    }));
    const rows = { cuda_call: steps(101), cpu_sample, off_cpu };
    const machine = { cpuModel: 'Xeon' };
    const alone = loopRank({ generations: [] });
    const found = phasesOf(loopTrace(rows, { machine }), alone);
    expect(found.inputKnown).toBe(false);
    expect(found.summary.inputNote).toContain('Waits of 470.0 ms in all');
    const writes = off_cpu.map((wait) => ({ ...wait, syscall: calls.write }));
    const writing = phasesOf(loopTrace({ ...rows, off_cpu: writes }, { machine }), alone);
    expect(writing.inputKnown).toBe(true);
    // With workers, all waits for them are known.
    const workers = off_cpu.map((wait) => ({ ...wait, waker: AUTOGRAD }));
    expect(phasesOf(loopTrace({ ...rows, off_cpu: workers }), loopRank()).inputKnown).toBe(true);
  });

  it('counts a wait that a worker ended only in a call that receives something', () => {
    const input = (more: Row<'off_cpu'>) => {
      const off_cpu = [{ ...queueWait(16 * MS, MS), ...more }];
      const trace = loopTrace({ cuda_call: steps(12), off_cpu }, { machine: { cpuModel: 'Xeon' } });
      return phasesOf(trace, loopRank()).summary.total.input;
    };
    expect(input({ syscall: calls.poll })).toBe(MS);
    expect(input({ syscall: calls.write })).toBe(0);
  });

  it('tells waits without a stack by those with one, of the same call and no shorter', () => {
    const waits = Array.from({ length: 8 }, (_, at) => ({
      ...queueWait((10 * at + 6) * MS, 2 * MS, -1),
      syscall: calls.poll,
      stack: at < 6 ? LOADER_STACK : -1,
    }));
    const input = (off_cpu: Row<'off_cpu'>[]) => {
      const rows = { cuda_call: steps(12), off_cpu };
      return phasesOf(loopTrace(rows), loopRank()).summary.total.input;
    };
    expect(input(waits)).toBe(8 * 2 * MS);
    const other = waits.map((wait) => (wait.stack < 0 ? { ...wait, syscall: calls.futex } : wait));
    expect(input(other)).toBe(6 * 2 * MS);
    const shorter = waits.map((wait) => (wait.stack < 0 ? { ...wait, durationNs: MS } : wait));
    expect(input(shorter)).toBe(6 * 2 * MS);
    const mixed = waits.map((wait, at) => (at === 0 ? { ...wait, stack: TRAIN_STACK } : wait));
    expect(input(mixed)).toBe(5 * 2 * MS);
  });

  it('leaves a gap whose own sample says otherwise as other', () => {
    const loading = Array.from({ length: 18 }, (_, at) => sample((10 * at + 7) * MS, LOADER_STACK));
    const cpu_sample = [...loading, sample(187 * MS, TRAIN_STACK)];
    const split = between(loopTrace({ cuda_call: steps(21), cpu_sample }), 185 * MS, 190 * MS);
    expect(split.input).toBe(0);
  });

  it('calls autograd’s calls compute while the main thread waits for it', () => {
    const backward = call(LAUNCH, 16 * MS, 2 * MS, { thread: AUTOGRAD });
    const split = between(loopTrace({ cuda_call: [...steps(12), backward] }), 10 * MS, 20 * MS);
    expect(split.compute).toBe(3.7 * MS + 2 * MS);
  });

  it('calls waiting in a collective so', () => {
    const barrier = call(SYNC, 16 * MS, 2 * MS, { stack: COLLECTIVE_STACK });
    const cpu_sample = [sample(26 * MS, COLLECTIVE_STACK), sample(28 * MS, COLLECTIVE_STACK)];
    const trace = loopTrace({ cuda_call: [...steps(12), barrier], cpu_sample });
    expect(between(trace, 0, 120 * MS).collective).toBe(4 * MS);
  });

  it('believes a stack that says where the loop was, whoever ended its wait', () => {
    const inputOf = (stack: number) => {
      const wait = { ...queueWait(6 * MS, 3 * MS), syscall: calls.read, stack };
      const trace = loopTrace(
        { cuda_call: steps(12), off_cpu: [wait] },
        { machine: { cpuModel: 'Intel Xeon' } },
      );
      return between(trace, 0, 10 * MS).input;
    };
    expect([LOADER_STACK, TRAIN_STACK, COLLECTIVE_STACK].map(inputOf)).toEqual([3 * MS, 0, 0]);
  });

  it('calls memory that the loader allocates input, and only that', () => {
    const pinned = (stack: number, op = ALLOCATE) => call(op, 16 * MS, 2 * MS, { stack });
    const splitOf = (alloc: ReturnType<typeof pinned>) => {
      const found = phasesOf(loopTrace({ cuda_call: [...steps(12), alloc] }), loopRank());
      return found.summary.total.input;
    };
    expect(splitOf(pinned(LOADER_STACK))).toBe(2 * MS);
    expect(splitOf(pinned(TRAIN_STACK))).toBe(0);
    expect(splitOf(pinned(LOADER_STACK, LAUNCH))).toBe(0);
  });

  it('claims no input and says why without evidence', () => {
    const found = phasesOf(loopTrace({ cuda_call: steps(12) }), loopRank());
    expect(found).toMatchObject({ inputKnown: false, summary: { total: { input: 0 } } });
    expect(found.summary.inputNote).toContain('cannot be told');
  });

  it('does not deny the stacks of calls: it says what they tell', () => {
    const note = (stack: number) => {
      const calls = steps(12).map((one) => ({ ...one, stack }));
      return phasesOf(loopTrace({ cuda_call: calls }), loopRank()).summary.inputNote;
    };
    const outside = 'No Python stack of the training thread outside of CUDA calls is in the trace';
    expect(note(-1)).toMatch(new RegExp(`^${outside}`));
    expect(note(TRAIN_STACK)).toContain(`what the training thread did in them, not between`);
    expect(note(LOADER_STACK)).toContain('(48 calls inside the DataLoader)');
    expect(note(TRAIN_STACK)).toContain(outside);
  });
});

describe('tiling', () => {
  const op = fc.constantFrom(COPY, SYNC, LAUNCH, DEVICE_SYNC);
  const when = fc.integer({ min: 0, max: 1000 });
  const plan = fc.record({
    calls: fc.array(
      fc.tuple(op, when, fc.integer({ min: 0, max: 90 }), fc.constantFrom(MAIN, AUTOGRAD, WORKER)),
      { maxLength: 60 },
    ),
    waits: fc.array(
      fc.tuple(when, fc.integer({ min: 1, max: 40 }), fc.constantFrom(WORKER, PIN, AUTOGRAD)),
      { maxLength: 20 },
    ),
    samples: fc.array(fc.tuple(when, fc.integer({ min: -1, max: 4 })), { maxLength: 30 }),
    regular: fc.integer({ min: 0, max: 15 }),
  });

  it('covers the window exactly, whatever the calls, waits and samples', () => {
    fc.assert(
      fc.property(plan, ({ calls, waits, samples, regular }) => {
        const trace = loopTrace({
          cuda_call: [
            ...calls.map(([kind, at, ns, thread]) => call(kind, at, ns, { thread })),
            ...steps(regular, 2000),
          ],
          off_cpu: waits
            .map(([at, ns, waker]) => queueWait(at, ns, waker))
            .sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0)),
          cpu_sample: samples
            .map(([at, stack]) => sample(at, stack))
            .sort((a, b) => a.startNs - b.startNs),
        });
        const { startsNs, endsNs, stepStartsNs, stepEndsNs, summary } = phasesOf(trace, loopRank());
        const [fromNs, toNs] = summary.window;
        const tiles = [...startsNs].every(
          (ns, at) => ns === (at === 0 ? fromNs : endsNs[at - 1]) && endsNs[at] > ns,
        );
        expect(tiles).toBe(true);
        expect(endsNs.at(-1) ?? fromNs).toBe(toNs);
        expect(Object.values(summary.total).reduce((sum, ns) => sum + ns, 0)).toBe(toNs - fromNs);
        for (const step of summary.steps)
          expect(Object.values(step.split).reduce((sum, ns) => sum + ns, 0)).toBe(
            step.endNs - step.startNs,
          );
        for (let at = 1; at < stepStartsNs.length; at++)
          expect(stepStartsNs[at]).toBeGreaterThanOrEqual(stepEndsNs[at - 1]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('ranges of the loader’s __next__', () => {
  /** In each of 20 steps, from 6 ms on for 3 ms. */
  const ranges = (thread: number, count = 20, more = {}) =>
    Array.from({ length: count }, (_, step) => ({
      ...{ startNs: step * 10 * MS + 6 * MS, durationNs: 3 * MS, thread, op: LOADER_RANGE },
      ...more,
    }));
  const told = (rows: NonNullable<Parameters<typeof loopTrace>[0]>) =>
    phasesOf(loopTrace({ cuda_call: steps(20), ...rows }), loopRank());

  it('are input where neither stacks nor switches tell it', () => {
    const { summary, inputKnown } = told({ range: ranges(MAIN) });
    expect(inputKnown).toBe(true);
    expect(summary.total.input).toBe(19 * 3 * MS);
    expect(summary.inputNote).toContain('19 ranges that the trace has around the loader’s');
  });

  it('are not, as far as a CUDA call was made in them, nor twice where they nest', () => {
    const range = [...ranges(MAIN, 20, { durationNs: 6 * MS }), ...ranges(MAIN)].toSorted(
      (a, b) => a.startNs - b.startNs,
    );
    // Each reaches 2 ms into the next step, whose copy ends after 1 ms.
    expect(told({ range }).summary.total.input).toBeCloseTo(19 * (4 + 0.1 + 0.1 + 0.1) * MS, -7);
  });

  it('on another thread only say that it prefetched', () => {
    for (const range of [ranges(AUTOGRAD), ranges(MAIN, 20, { endThread: AUTOGRAD })]) {
      const { summary, inputKnown } = told({ range });
      expect([inputKnown, summary.total.input]).toEqual([false, 0]);
    }
    const { summary } = told({ range: ranges(AUTOGRAD) });
    expect(summary.inputNote).toContain(
      '19 ranges of the loader’s `__next__` are on another thread',
    );
  });

  it('of a part of the loop say nothing of all of it', () => {
    expect(told({ range: ranges(MAIN, 5) }).inputKnown).toBe(false);
  });

  it('stand behind stacks and switches, which show more', () => {
    const off_cpu = [queueWait(7 * MS, MS)];
    const { summary } = told({ range: ranges(MAIN), off_cpu });
    expect(summary.total.input).toBe(MS);
  });
});

describe('a training thread that is stopped', () => {
  const stop = (startNs: number, durationNs: number) => ({
    ...{ thread: MAIN, startNs, durationNs, state: 0x104, runQueueNs: MS / 10 },
  });
  const stopsAt = (...rows: Row<'off_cpu'>[]) =>
    loopTrace({ cuda_call: [call(SYNC, 10 * MS, 20 * MS)], off_cpu: rows });

  it('does not wait for the GPU meanwhile, and does from then on', () => {
    const sums = between(stopsAt(stop(12 * MS, 6 * MS)), 10 * MS, 30 * MS);
    // Ready again, it waits for a CPU, and for the GPU as before.
    expect(sums).toMatchObject({ other: 5.9 * MS, compute: 14.1 * MS });
  });

  it('is told by single stops, wherever in the call they lie', () => {
    const trace = stopsAt(stop(8 * MS, 3 * MS), stop(15 * MS, 2 * MS), stop(29 * MS, 4 * MS));
    const { other, compute } = between(trace, 10 * MS, 30 * MS);
    expect(other).toBeCloseTo((0.9 + 1.9 + 1) * MS, -3);
    expect(other + compute).toBeCloseTo(20 * MS, -3);
  });
});
