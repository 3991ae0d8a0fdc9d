import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { completeRanges } from './complete-ranges.ts';
import { switchCoverage } from './coverage.ts';

const names = [
  ['HOST', 'sched_switch'],
  ['', 'HOST'],
  ['LOST', 'cpu_sample'],
  ['LOST', 'off_cpu'],
] as const;
const switches = [
  { thread: 0, startNs: 10, durationNs: 5 },
  { thread: 0, startNs: 40, durationNs: 10 },
];
const trace = (gap: readonly Row<'gap'>[] = [], plan: TracePlan = {}) =>
  buildTrace({
    names,
    threads: [{ tid: 7 }, { tid: 8 }],
    ...plan,
    rows: { off_cpu: switches, gap, ...plan.rows },
  });

describe('completeRanges', () => {
  test('is from the first to the last switch of an exact table, less the gaps and what began before them', () => {
    expect(completeRanges(trace())).toEqual([[[10, 50]], []]);
    const gaps = [
      { startNs: 20, durationNs: 5 },
      { startNs: 22, durationNs: 8 },
      { startNs: 49, durationNs: 100 },
    ];
    const around = [
      [10, 15],
      [30, 49],
    ];
    expect(completeRanges(trace(gaps))).toEqual([around, []]);
    expect(completeRanges(trace(gaps), 1)).toEqual([[[10, 15]], []]);
  });

  test('is cut by gaps of its own table only', () => {
    expect(completeRanges(trace([{ startNs: 20, durationNs: 5, op: 2 }]))[0]).toEqual([[10, 50]]);
    expect(completeRanges(trace([{ startNs: 20, durationNs: 5, op: 3 }]))[0]).toHaveLength(2);
  });

  test('is nowhere in a table that is neither exact nor counted', () => {
    for (const kind of ['partial', 'sampled'] as const)
      expect(completeRanges(trace([], { provenance: { off_cpu: { kind, note: '' } } }))).toEqual([
        [],
        [],
      ]);
  });

  test('agrees with the coverage of a call', () => {
    const time = fc.integer({ min: 0, max: 100 });
    const plan = fc.record({
      isExact: fc.boolean(),
      spans: fc.uniqueArray(time, { minLength: 2, maxLength: 12 }),
      gap: fc.option(fc.tuple(time, fc.integer({ min: 0, max: 9 }))),
      missing: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(plan, time, fc.integer({ min: 1, max: 60 }), (given, startNs, durationNs) => {
        const built = countedTrace(given);
        const endNs = startNs + durationNs;
        const isWithin = completeRanges(built)[0].some(
          ([from, to]) => startNs >= from && endNs <= to,
        );
        expect(isWithin).toBe(switchCoverage(built, 0, startNs, endNs).complete);
      }),
      { numRuns: 2000 },
    );
  });
});

interface Counted {
  readonly isExact: boolean;
  /** Begins and ends of the switches, in any order. */
  readonly spans: readonly number[];
  readonly gap: readonly [startNs: number, durationNs: number] | null;
  /** Buckets of 10 ns with a switch that is not stored. */
  readonly missing: readonly number[];
}

function countedTrace({ isExact, spans, gap, missing }: Counted) {
  const edges = spans.toSorted((a, b) => a - b);
  const pairs = Array.from({ length: edges.length >> 1 }, (_, at) =>
    edges.slice(2 * at, 2 * at + 2),
  );
  const aggregate = Array.from({ length: 12 }, (_, bucket) => ({
    thread: 0,
    op: 0,
    source: 1,
    startNs: bucket * 10,
    durationNs: 10,
    count:
      pairs.filter(([, end]) => Math.floor(end / 10) === bucket).length +
      missing.filter((at) => at === bucket).length,
  }));
  return buildTrace({
    names,
    threads: [{ tid: 7 }],
    provenance: { off_cpu: { kind: isExact ? 'exact' : 'partial', note: '' } },
    rows: {
      off_cpu: pairs.map(([start, end]) => ({
        thread: 0,
        startNs: start,
        durationNs: end - start,
      })),
      aggregate,
      gap: gap === null ? [] : [{ startNs: gap[0], durationNs: gap[1] }],
    },
  });
}
