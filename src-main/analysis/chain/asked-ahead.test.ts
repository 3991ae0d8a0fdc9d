import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askedAhead, type BatchWait } from './asked-ahead.ts';
import type { ProductionCycles } from './production-cycles.ts';

const DEFAULT_FACTOR = 2;
const MS = 1e6;

interface Job {
  readonly workers: number;
  /** How long each batch takes to make, and the loop after it, ns. */
  readonly makeNs: readonly number[];
  readonly stepNs: readonly number[];
  /** Batches of an epoch, after which the workers live on. */
  readonly epoch?: number;
}

/** The job as PyTorch's loader runs it: batch k is of worker k % workers, and asked for as batch k − workers × factor is taken. */
function run({ workers, makeNs, stepNs, epoch = makeNs.length }: Job, factor: number) {
  const made = Array.from({ length: workers }, () => ({
    ...{ freeNs: [] as number[], startsNs: [] as number[], putsNs: [] as number[] },
    firsts: [] as number[],
  }));
  const takenNs: number[] = [];
  const waits: { worker: number; cycle: number; ns: number; endNs: number }[] = [];
  let [atNs, epochNs] = [0, 0];
  makeNs.forEach((ns, batch) => {
    const place = batch % epoch;
    if (place === 0) {
      epochNs = atNs;
      for (const { firsts, putsNs } of made) firsts.push(putsNs.length);
    }
    const worker = made[place % workers];
    const outstanding = workers * factor;
    const askedNs = place < outstanding ? epochNs : takenNs[batch - outstanding];
    const freeNs = worker.putsNs.at(-1) ?? 0;
    const startNs = Math.max(freeNs, askedNs);
    worker.freeNs.push(freeNs);
    worker.startsNs.push(startNs);
    worker.putsNs.push(startNs + ns);
    const waitNs = Math.max(0, startNs + ns - atNs);
    atNs += waitNs;
    if (waitNs > 0)
      waits.push({
        ...{ worker: place % workers, cycle: worker.putsNs.length - 1 },
        ...{ ns: waitNs, endNs: atNs },
      });
    // What the loop does with a batch comes after it has asked for the next.
    takenNs.push(atNs);
    atNs += stepNs[batch];
  });
  const cycles = made.map(
    ({ freeNs, startsNs, putsNs, firsts }): ProductionCycles => ({
      ...{ process: 1, mainThread: 1, feeder: 2, count: putsNs.length, firsts },
      freeNs: Float64Array.from(freeNs),
      startsNs: Float64Array.from(startsNs),
      putsNs: Float64Array.from(putsNs),
      endsNs: Float64Array.from(putsNs),
      flushedNs: Float64Array.from(putsNs),
      ...{ basis: 'exact', note: '' },
    }),
  );
  const told = waits.map(
    ({ worker, ...wait }): BatchWait => ({
      ...wait,
      cycles: cycles[worker],
      contendedShare: 0,
      cpuShare: 1,
    }),
  );
  return { waits: told, endNs: atNs };
}

const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);

const fill = (count: number, ns: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ns(at));

describe('asking ahead', () => {
  test('wins back the waits of a loop that takes many batches at once, with as many as it takes', () => {
    // 16 at once, then 192 ms of work: 4 a worker are enough.
    const job = {
      workers: 4,
      makeNs: fill(320, () => 4 * MS),
      stepNs: fill(320, (at) => (at % 16 === 15 ? 192 * MS : 0)),
    };
    const { waits, endNs } = run(job, DEFAULT_FACTOR);
    const { ahead, savedNs } = askedAhead(waits);
    expect(ahead).toBe(2);
    const wonNs = endNs - run(job, DEFAULT_FACTOR + ahead).endNs;
    expect(wonNs).toBeGreaterThan(100 * MS);
    expect(sum(savedNs) / wonNs).toBeCloseTo(1, 2);
    // Twice as many at once take more.
    const larger = { ...job, stepNs: fill(320, (at) => (at % 40 === 39 ? 400 * MS : 0)) };
    expect(askedAhead(run(larger, DEFAULT_FACTOR).waits).ahead).toBe(14);
  });

  test('wins nothing where the workers always had something to do, whatever they are asked for', () => {
    const slow = { workers: 2, makeNs: fill(200, () => 10 * MS), stepNs: fill(200, () => MS) };
    const { ahead, savedNs } = askedAhead(run(slow, DEFAULT_FACTOR).waits);
    expect([ahead, sum(savedNs)]).toEqual([0, 0]);
    expect(askedAhead([])).toEqual({ ahead: 0, savedNs: new Float64Array() });
  });

  test('wins only what all workers were idle for where they hinder each other', () => {
    // One of the two is slow now and then, as where both need one lock: one of them has something to do all the time.
    const uneven = {
      ...{ workers: 2, stepNs: fill(200, () => 0) },
      makeNs: fill(200, (at) => (Math.floor(at / 20) % 2 === at % 2 ? 30 * MS : MS)),
    };
    const { waits } = run(uneven, DEFAULT_FACTOR);
    expect(sum(askedAhead(waits).savedNs)).toBeGreaterThan(500 * MS);
    const hindered = waits.map((wait) => ({ ...wait, contendedShare: 0.5 }));
    expect(sum(askedAhead(hindered).savedNs)).toBeLessThan(50 * MS);
  });

  test('wins no more than the workers find a CPU for', () => {
    const job = {
      ...{ workers: 2, makeNs: fill(320, () => 4 * MS) },
      stepNs: fill(320, (at) => (at % 16 === 15 ? 192 * MS : 0)),
    };
    const { waits } = run(job, DEFAULT_FACTOR);
    const all = sum(askedAhead(waits).savedNs);
    const half = askedAhead(waits, (cpuShare) => cpuShare / 2);
    expect(sum(half.savedNs) / all).toBeCloseTo(0.5, 3);
  });

  test('wins nothing of what an epoch begins with', () => {
    const short = {
      ...{ workers: 2, makeNs: fill(200, () => 5 * MS), stepNs: fill(200, () => 20 * MS) },
      epoch: 10,
    };
    const { waits } = run(short, DEFAULT_FACTOR);
    expect(waits.length).toBeGreaterThanOrEqual(20);
    expect(sum(askedAhead(waits).savedNs)).toBe(0);
  });

  test('says what a loader that is asked so would win, in random jobs, to 4 % of their time', () => {
    const length = 240;
    const times = (most: number) =>
      fc.array(fc.oneof(fc.constant(MS), fc.nat(most * MS)), {
        minLength: length,
        maxLength: length,
      });
    const jobs = fc.record({
      ...{ workers: fc.integer({ min: 1, max: 4 }), makeNs: times(40), stepNs: times(20) },
      epoch: fc.constantFrom(length, 60),
    });
    let [said, won] = [0, 0];
    fc.assert(
      fc.property(jobs, (job) => {
        const { waits, endNs } = run(job, DEFAULT_FACTOR);
        const { ahead, savedNs } = askedAhead(waits);
        const wonNs = endNs - run(job, DEFAULT_FACTOR + ahead).endNs;
        expect(Math.abs(sum(savedNs) - wonNs)).toBeLessThan(endNs * 0.04);
        said += sum(savedNs);
        won += wonNs;
      }),
      { seed: 11, numRuns: 300 },
    );
    expect(Math.abs(said / won - 1)).toBeLessThan(0.05);
  });
});
