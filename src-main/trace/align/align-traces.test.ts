import { describe, expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import type { ClockReading, Trace } from '../../shared/model/trace.ts';
import { alignTraces } from './align-traces.ts';
import { alignmentWords } from './alignment-words.ts';
import { densestShift } from './densest-shift.ts';

const MS = 1e6;
const UNIX = 1_700_000_000_000_000_000n;

interface Plan {
  readonly beginNs?: number;
  readonly hostname?: string;
  readonly pid?: number;
  /** `[name, end]` of ranges. */
  readonly ranges?: readonly (readonly [name: string, endNs: number])[];
  readonly reading?: ClockReading;
}

function trace({ beginNs = 0, hostname, pid = 1, ranges = [], reading }: Plan): Trace {
  const names = [...new Set(ranges.map(([name]) => name))];
  const built = buildTrace({
    processes: [{ pid, name: 'python3' }],
    threads: [{ tid: pid, process: 0 }],
    names: names.map((name) => ['ANNOTATION', name] as const),
    machine: hostname === undefined ? {} : { hostname },
    rows: {
      range: ranges.map(([name, endNs]) => ({
        ...{ thread: 0, op: names.indexOf(name), category: 0 },
        ...{ startNs: endNs - MS, durationNs: MS },
      })),
    },
  });
  return {
    ...built,
    meta: { ...built.meta, beginUnixNs: UNIX + BigInt(beginNs) },
    clocks: reading === undefined ? [] : [{ offsetNs: 0, readings: [reading] }],
  };
}

/** Ends of steps that take unevenly long. */
const uneven = (count: number) =>
  Array.from({ length: count }, (_, at) => 50 * MS * (at + 1) + ((at * at * 31) % 97) * 0.2 * MS);
const collectives = (ends: readonly number[]) => ends.map((ns) => ['gloo:all_reduce', ns] as const);
const steps = (ends: readonly number[], from = 0) =>
  ends.map((ns, at) => [`ProfilerStep#${from + at}`, ns] as const);

describe('clocks are brought in line', () => {
  test('by what both read of one clock of one machine, though the date was set meanwhile', () => {
    const one = trace({
      hostname: 'node',
      reading: { startNs: 0, monotonicNs: 5_000_000_000n, realNs: UNIX },
    });
    // Begins a second later, by a date that is 20 ms off.
    const other = trace({
      ...{ hostname: 'node', pid: 2, beginNs: 1_020 * MS },
      reading: { startNs: 500, monotonicNs: 6_000_000_500n, realNs: UNIX + 1_020_000_500n },
    });
    const [, told] = alignTraces([one, other]);
    expect(told).toEqual({
      ...{ offsetNs: -20 * MS, uncertaintyNs: 0, by: 'clock', count: 0 },
      sameHostAs: 0,
    });
  });

  test('not by readings of another machine, or of another boot', () => {
    const one = trace({ hostname: 'a', reading: { startNs: 0, monotonicNs: 5n, realNs: UNIX } });
    const reading = { startNs: 0, monotonicNs: 900_000_000_000n, realNs: UNIX };
    for (const hostname of ['a', 'b']) {
      const [, told] = alignTraces([one, trace({ hostname, pid: 2, reading })]);
      expect(told).toMatchObject({ offsetNs: 0, by: 'none' });
      expect(told?.uncertaintyNs).toBeUndefined();
    }
  });

  test('by collectives that both are in, of which each lacks some', () => {
    const ends = uneven(30);
    const one = trace({ ranges: collectives(ends.slice(0, 26)) });
    const late = ends.slice(4).map((ns, at) => ns + 700 * MS + (at % 3) * 20e3);
    const [, told] = alignTraces([one, trace({ ranges: collectives(late) })]);
    expect(told).toMatchObject({ by: 'collectives', count: 22 });
    expect(Math.abs((told?.offsetNs ?? 0) + 700 * MS)).toBeLessThanOrEqual(40e3);
    expect(told?.uncertaintyNs).toBeLessThanOrEqual(40e3);
  });

  test('not by collectives at regular times, of which several shifts bring together as many', () => {
    const regular = Array.from({ length: 30 }, (_, at) => 50 * MS * (at + 1));
    const one = trace({ ranges: collectives(regular) });
    const [, told] = alignTraces([one, trace({ ranges: collectives(regular) })]);
    expect(told).toEqual({ offsetNs: 0, by: 'none', count: 0 });
    // Their numbers tell which is which.
    const numbered = (lateNs: number) => {
      const ends = regular.map((ns) => ns + lateNs);
      return trace({
        ranges: [...collectives(ends), ...steps(ends)].toSorted((a, b) => a[1] - b[1]),
      });
    };
    const [, known] = alignTraces([numbered(0), numbered(49 * MS)]);
    expect(known).toEqual({ offsetNs: -49 * MS, uncertaintyNs: 1, by: 'collectives', count: 30 });
  });

  test('by the last of collectives that follow each other closely, as buckets of gradients', () => {
    const bursts = uneven(20).flatMap((ns) =>
      Array.from({ length: 12 }, (_, at) => ns + at * 150e3),
    );
    const one = trace({ ranges: collectives(bursts) });
    // One bucket later, all but the first and the last of each burst would meet.
    const late = bursts.map((ns) => ns + 300 * MS);
    const [, told] = alignTraces([one, trace({ ranges: collectives(late) })]);
    expect(told).toEqual({
      ...{ offsetNs: -300 * MS, uncertaintyNs: 1, by: 'collectives', count: 20 },
    });
    // What never pauses has no moment that is told apart.
    const endless = Array.from({ length: 400 }, (_, at) => at * 150e3);
    const [, open] = alignTraces([
      trace({ ranges: collectives(endless) }),
      trace({ ranges: collectives(endless) }),
    ]);
    expect(open).toMatchObject({ by: 'none' });
  });

  test('by steps of one number, as well as these tell', () => {
    const ends = uneven(8);
    const one = trace({ ranges: steps(ends, 100) });
    const jitter = [1, -2, 3, 0, 2, -1, 0, -3];
    const late = ends.map((ns, at) => ns + 400 * MS + (jitter[at] ?? 0) * MS);
    const [, told] = alignTraces([one, trace({ ranges: steps(late, 100), beginNs: -100 * MS })]);
    expect(told).toMatchObject({ by: 'steps', count: 8 });
    expect(Math.abs((told?.offsetNs ?? 0) + 300 * MS)).toBeLessThanOrEqual(
      told?.uncertaintyNs ?? 0,
    );
    // Within what steps can tell, clocks are left alone.
    const [, near] = alignTraces([one, trace({ ranges: steps(late, 100), beginNs: -400 * MS })]);
    expect(near).toMatchObject({ offsetNs: 0, by: 'steps' });
    // A number that is there twice tells nothing.
    const twice = trace({ ranges: [...steps(ends, 100), ...steps(ends, 100)] });
    expect(alignTraces([one, twice])[1]).toMatchObject({ by: 'none' });
  });
});

describe('clocks that were measured before the captures', () => {
  /** Of a host that is `aheadMs` ahead of this machine, `beforeMs` before the first trace begins. */
  const clock = (aheadMs: number, { rightMs = 1, beforeMs = 0 } = {}) => ({
    offsetNs: aheadMs * MS,
    uncertaintyNs: rightMs * MS,
    measuredAt: new Date(Number(UNIX / 1_000_000n) - beforeMs).toISOString(),
  });
  const plain = trace({});

  test('tell where nothing that is shared does', () => {
    const [, told] = alignTraces([plain, plain], [clock(100), clock(-400)]);
    // Its clock is half a second behind the first one's.
    expect(told).toMatchObject({ offsetNs: 500 * MS, by: 'measured', count: 0 });
    // The other one lasts a second from 0.4 s after it on, by this machine's clock.
    expect(told?.uncertaintyNs).toBeCloseTo(2 * MS + 2 * 1_400 * MS * 1e-4, -2);
    // A minute later clocks may be further apart, by 6 ms each.
    const before = { beforeMs: 60_000 };
    const [, later] = alignTraces([plain, plain], [clock(100, before), clock(-400, before)]);
    expect(later?.uncertaintyNs).toBeCloseTo(14 * MS + 2 * 1_400 * MS * 1e-4, -2);
    // Within what is known, they are left alone.
    const [, near] = alignTraces([plain, plain], [clock(1), clock(2)]);
    expect(near).toMatchObject({ offsetNs: 0, by: 'measured' });
    expect(near?.uncertaintyNs).toBeGreaterThanOrEqual(3 * MS);
  });

  test('tell nothing of one alone, or with a date that nobody can read', () => {
    const none = [undefined, { offsetNs: 5, uncertaintyNs: 1, measuredAt: 'yesterday' }];
    for (const other of none)
      for (const clocks of [
        [clock(0), other],
        [other, clock(0)],
      ])
        expect(alignTraces([plain, plain], clocks)[1]).toMatchObject({ offsetNs: 0, by: 'none' });
  });

  test('say where collectives are looked for, which tell it better', () => {
    const regular = Array.from({ length: 30 }, (_, at) => 50 * MS * (at + 1));
    const anHour = 3_600_000;
    const ranges = collectives(regular.map((ns) => ns + 2 * MS));
    const other = trace({ ranges, beginNs: anHour * MS });
    const traces = [trace({ ranges: collectives(regular) }), other];
    expect(alignTraces(traces)[1]).toMatchObject({ by: 'none' });
    const [, told] = alignTraces(traces, [clock(0), clock(anHour)]);
    expect(told).toMatchObject({ offsetNs: -(anHour + 2) * MS, by: 'collectives', count: 30 });
    expect(told?.uncertaintyNs).toBeLessThan(MS);
    // Of a day ago it tells less than that clocks are set: then nothing is looked for further away.
    const daysAgo = { beforeMs: 86_400_000 };
    const old = [clock(0, daysAgo), clock(0, daysAgo)];
    const far = [traces[0], trace({ ranges, beginNs: 5_000 * MS })] as [Trace, Trace];
    expect(alignTraces(far, old)[1]).not.toMatchObject({ by: 'collectives' });
  });

  test('before and after: a clock that goes too fast is led back evenly, for collectives too', () => {
    // An hour in which the other clock gains 36 ms: by one shift they never end together.
    const ends = uneven(60).map((ns) => ns * 1_000);
    const drifted = ends.map((ns) => Math.round(ns * (1 + 1.2e-5)));
    const traces = [
      trace({ ranges: collectives(ends) }),
      trace({ ranges: collectives(drifted) }),
    ].map((each) => ({ ...each, meta: { ...each.meta, lengthNs: 3_000_000 * MS } }));
    const atEnd = { ...clock(36, { beforeMs: -3_000_000 }), uncertaintyNs: MS };
    const still = { ...clock(0), atEnd: { ...clock(0, { beforeMs: -3_000_000 }) } };
    expect(alignTraces(traces, [clock(0), clock(0)])[1]).not.toMatchObject({ by: 'collectives' });
    const [, told] = alignTraces(traces, [still, { ...clock(0), atEnd }]);
    expect(told).toMatchObject({ by: 'collectives', count: 60 });
    expect((told?.offsetAtEndNs ?? 0) - (told?.offsetNs ?? 0)).toBeCloseTo(-36 * MS, -6);
    expect(told?.uncertaintyNs).toBeLessThan(MS);
    const plain = traces.map((each) => ({ ...each, tables: trace({}).tables }));
    const [, measured] = alignTraces(plain, [still, { ...clock(0), atEnd }]);
    expect(measured).toMatchObject({ by: 'measured', isReadTwice: true, offsetNs: 0 });
    // 0.3 s by one reading each.
    expect(alignTraces(plain, [clock(0), clock(0)])[1]?.uncertaintyNs).toBeGreaterThan(300 * MS);
    expect(measured?.uncertaintyNs).toBeLessThan(33 * MS + 36 * MS);
  });

  test('and steps: what is known better counts', () => {
    const ends = uneven(8);
    const spread = ends.map((ns, at) => ns + 400 * MS + (at % 3) * 20 * MS);
    const traces = [trace({ ranges: steps(ends) }), trace({ ranges: steps(spread) })];
    const measured = alignTraces(traces, [clock(0), clock(410)])[1];
    expect(measured).toMatchObject({ offsetNs: -410 * MS, by: 'measured' });
    const roughly = [clock(0, { rightMs: 90 }), clock(410, { rightMs: 90 })];
    expect(alignTraces(traces, roughly)[1]).toMatchObject({ by: 'steps', count: 8 });
  });
});

describe('one machine', () => {
  test('is that of two traces of processes of its own', () => {
    const [one, two, same, nameless] = [
      trace({ hostname: 'node', pid: 1 }),
      trace({ hostname: 'node', pid: 2 }),
      trace({ hostname: 'node', pid: 1 }),
      trace({ pid: 3 }),
    ];
    expect(alignTraces([one, two])[1]?.sameHostAs).toBe(0);
    expect(alignTraces([one, same])[1]?.sameHostAs).toBeUndefined();
    expect(alignTraces([one, nameless, nameless]).map((each) => each.sameHostAs)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('what was done to each clock is one sentence', () => {
  const by = { offsetNs: 0, count: 0 } as const;
  const said = [
    alignmentWords('a', { ...by, by: 'first' }),
    alignmentWords('b', { ...by, by: 'clock', uncertaintyNs: 0 }),
    alignmentWords('c', { by: 'collectives', offsetNs: -2e6, uncertaintyNs: 40e3, count: 18 }),
    alignmentWords('d', { by: 'steps', offsetNs: 3e6, uncertaintyNs: 1e6, count: 1 }),
    alignmentWords('e', { ...by, by: 'none' }),
    alignmentWords('f', { ...by, by: 'measured', uncertaintyNs: 3e6 }),
    alignmentWords('g', {
      ...{ ...by, by: 'measured', uncertaintyNs: 3e6, isReadTwice: true },
      ...{ offsetNs: -2e6, offsetAtEndNs: 40e6 },
    }),
  ];
  expect(said).toEqual([
    'a: its clock is the reference for all.',
    'b: its times stand as they were, as both read the clock of one machine.',
    'c: 2.000 ms were taken off its times, right to ± 40.00 µs, as 18 collectives ended together.',
    'd: 3.000 ms were added to its times, right to ± 1.000 ms, as 1 equally numbered step ended about together.',
    'e: nothing in it shows how its clock relates to the first file’s. Its times are unchanged.',
    'f: its times stand as they were, right to ± 3.000 ms, as Stalltrace measured both machines’ clocks before their captures.',
    'g: 2.000 ms were taken off its times at its begin, and 40.00 ms were added to them at its end, right to ± 3.000 ms, as Stalltrace measured both machines’ clocks before and after their captures.',
  ]);
});

test('a shift is looked for within its bounds only, and needs half of what could be shared', () => {
  const own = Float64Array.from(uneven(20));
  const other = own.map((ns) => ns + 300 * MS);
  expect(densestShift(own, other, [-100 * MS, 100 * MS])).toBeUndefined();
  expect(densestShift(own, other, [0, 400 * MS])).toEqual({ ns: 300 * MS, spreadNs: 0, pairs: 20 });
  const few = Float64Array.from([...other.slice(0, 4), ...uneven(16).map((ns) => ns * 1.37 + 2e9)]);
  expect(densestShift(own, few.sort(), [0, 400 * MS])).toBeUndefined();
  expect(densestShift(own, new Float64Array(0), [0, 1])).toBeUndefined();
});
