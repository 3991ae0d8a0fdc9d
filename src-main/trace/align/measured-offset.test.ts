import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import type { ClockReading, Trace } from '../../shared/model/trace.ts';
import type { MeasuredClock, MeasuredOffset } from '../../shared/remote/measured-clock.ts';
import { measuredOffset } from './measured-offset.ts';

const MS = 1e6;
const S = 1e9;
const UNIX_MS = 1_700_000_000_000;
/** Unix times are exact to this in 64-bit floats here, ns. */
const ROUNDING_NS = 2;

/** A host's clock: how far it is ahead of this machine's, which is right, at a moment of this machine, ns since `UNIX_MS`. */
type Ahead = (ns: number) => number;

/** A date asked of the host at `atMs`, whose way there takes `thereNs` and the way back `backNs`. */
function read(
  ahead: Ahead,
  atMs: number,
  { thereNs, backNs }: { thereNs: number; backNs: number },
): MeasuredOffset {
  const askedNs = atMs * MS;
  const middleNs = askedNs + (thereNs + backNs) / 2;
  const arrivedNs = askedNs + thereNs;
  return {
    offsetNs: arrivedNs + ahead(arrivedNs) - middleNs,
    uncertaintyNs: (thereNs + backNs) / 2,
    measuredAt: new Date(UNIX_MS + atMs).toISOString(),
  };
}

/** A trace that lasts from one moment of this machine to another, by the host's clock. */
function recorded(
  ahead: Ahead,
  [fromNs, toNs]: readonly [number, number],
  readings: readonly ClockReading[] = [],
): Trace {
  const built = buildTrace({});
  const beginNs = Math.round(fromNs + ahead(fromNs));
  return {
    ...built,
    meta: {
      ...built.meta,
      beginUnixNs: BigInt(UNIX_MS) * 1_000_000n + BigInt(beginNs),
      lengthNs: Math.round(toNs + ahead(toNs)) - beginNs,
    },
    clocks: [{ offsetNs: 0, readings }],
  };
}

/** ± ns of a time as it is told of `other`, by the clock of `first`, and how far off it really is. */
function judged(
  [first, other]: readonly (readonly [Trace, MeasuredClock])[],
  [firstAhead, otherAhead]: readonly [Ahead, Ahead],
  atNs: number,
) {
  const [[firstTrace, firstClock], [otherTrace, otherClock]] = [first, other] as const;
  const found = measuredOffset(
    { trace: firstTrace, clock: firstClock },
    { trace: otherTrace, clock: otherClock },
  );
  if (found === undefined) throw new Error('nothing was found');
  const { beginUnixNs, lengthNs } = otherTrace.meta;
  const beginNs = Number(beginUnixNs - BigInt(UNIX_MS) * 1_000_000n);
  const sinceNs = atNs + otherAhead(atNs) - beginNs;
  const part = sinceNs / lengthNs;
  const added = found.offsetNs + part * (found.offsetAtEndNs - found.offsetNs);
  const told = beginNs + sinceNs + added;
  return { offNs: Math.abs(told - (atNs + firstAhead(atNs))), found };
}

const delays = fc.record({
  thereNs: fc.integer({ min: 10e3, max: 200 * MS }),
  backNs: fc.integer({ min: 10e3, max: 200 * MS }),
});

/** A clock that is anywhere, gains or loses up to 80 µs a second, and somewhat more or less in each half of the capture. */
const clocks = fc
  .record({
    offsetNs: fc.integer({ min: -5 * S, max: 5 * S }),
    rate: fc.double({ min: -8e-5, max: 8e-5, noNaN: true }),
    wander: fc.double({ min: -9e-6, max: 9e-6, noNaN: true }),
  })
  .map((plan) => (lengthNs: number): Ahead => {
    const { offsetNs, rate, wander } = plan;
    return (ns) =>
      offsetNs + rate * ns + wander * (Math.abs(lengthNs / 2 - ns) - Math.abs(lengthNs / 2));
  });

describe('a clock that drifts during a capture', () => {
  test('is told to within what is shown, whatever the network takes', () => {
    const plan = fc.record({
      clocks: fc.tuple(clocks, clocks),
      lengthS: fc.integer({ min: 1, max: 20_000 }),
      delays: fc.array(delays, { minLength: 4, maxLength: 4 }),
      places: fc.tuple(
        ...Array.from({ length: 4 }, () => fc.double({ min: 0, max: 1, noNaN: true })),
      ),
      isReadAtEnd: fc.boolean(),
    });
    fc.assert(
      fc.property(plan, ({ clocks: [one, two], lengthS, delays: ways, places, isReadAtEnd }) => {
        // The readings are a tenth of it before and after the captures.
        const lengthNs = lengthS * S;
        const aheads = [one(lengthNs), two(lengthNs)] as const;
        const traces = aheads.map((ahead, at) => {
          const [begin, end] = ways.slice(at * 2) as [(typeof ways)[0], (typeof ways)[0]];
          const clock = {
            ...read(ahead, 0, begin),
            ...(isReadAtEnd && { atEnd: read(ahead, lengthS * 1_000, end) }),
          };
          const from = 0.1 * lengthNs + S * 0.5;
          return [recorded(ahead, [from, from + 0.8 * lengthNs]), clock] as const;
        });
        for (const place of places) {
          const atNs = 0.1 * lengthNs + S * 0.5 + place * 0.8 * lengthNs;
          const { offNs, found } = judged(traces, aheads, atNs);
          expect(offNs).toBeLessThanOrEqual(found.uncertaintyNs + ROUNDING_NS);
        }
      }),
      { numRuns: 500, seed: 18 },
    );
  });

  test('is known far better once it was read at the end too', () => {
    const hour = 3_600;
    const way = { thereNs: MS, backNs: MS };
    const aheads = [(ns: number) => ns * 2e-5, (ns: number) => 40 * MS - ns * 3e-5] as const;
    const traceOf = (ahead: Ahead, isReadAtEnd: boolean) =>
      [
        recorded(ahead, [S, (hour - 1) * S]),
        {
          ...read(ahead, 0, way),
          ...(isReadAtEnd && { atEnd: read(ahead, hour * 1_000, way) }),
        },
      ] as const;
    const [once, twice] = [false, true].map((isReadAtEnd) =>
      judged(
        aheads.map((ahead) => traceOf(ahead, isReadAtEnd)),
        aheads,
        (hour / 2) * S,
      ),
    );
    // An hour at 0.1 ms a second each; half an hour at 0.01 ms.
    expect(once?.found.uncertaintyNs).toBeCloseTo(2 * MS + 2 * 3_599 * 1e-4 * S, -7);
    expect(twice?.found.uncertaintyNs).toBeCloseTo(2 * MS + 2 * 1_800 * 1e-5 * S, -6);
    expect(twice?.found).toMatchObject({ isReadTwice: true });
    const { offsetNs = 0, offsetAtEndNs = 0 } = twice?.found ?? {};
    expect((offsetAtEndNs - offsetNs) / S).toBeCloseTo(5e-5 * 3_598, 4);
    expect(twice?.offNs).toBeLessThan(MS);
  });

  test('is no steeper than the readings tell: a short one is moved as a whole', () => {
    const way = { thereNs: 0, backNs: 40 * MS };
    const aheads = [() => 0, (ns: number) => ns * 1e-5] as const;
    const traces = aheads.map(
      (ahead) =>
        [
          recorded(ahead, [S, 9 * S]),
          { ...read(ahead, 0, way), atEnd: read(ahead, 10_000, way) },
        ] as const,
    );
    const { found, offNs } = judged(traces, aheads, 5 * S);
    expect(found.offsetAtEndNs).toBe(found.offsetNs);
    expect(offNs).toBeLessThanOrEqual(found.uncertaintyNs);
  });

  test('that was set meanwhile has gained nothing', () => {
    const way = { thereNs: MS, backNs: MS };
    const ahead: Ahead = () => 3 * S;
    const still: Ahead = () => 0;
    // The date was set two seconds back while it recorded; its times go on all the same.
    const readings = [
      { startNs: 0, monotonicNs: 5n, realNs: 2_000_000_005n },
      { startNs: 1, monotonicNs: 9n, realNs: 9n },
    ];
    const end = read(() => S, 3_600_000, way);
    const clock = { ...read(ahead, 0, way), atEnd: end };
    const plain = [
      recorded(still, [S, 3_599 * S]),
      { ...read(still, 0, way), atEnd: read(still, 3_600_000, way) },
    ] as const;
    const span = [S, 3_599 * S] as const;
    const told = judged(
      [plain, [recorded(ahead, span, readings), clock]],
      [still, ahead],
      1_800 * S,
    );
    expect(told.found).toMatchObject({ isReadTwice: true });
    expect(told.offNs).toBeLessThan(MS);
    // Nobody knows when: only what was read before counts, and what is left open is as wide as then.
    const untold = judged([plain, [recorded(ahead, span), clock]], [still, ahead], 1_800 * S);
    expect(untold.found).toMatchObject({ isReadTwice: false });
    expect(untold.offNs).toBeLessThanOrEqual(untold.found.uncertaintyNs);
    expect(untold.found.uncertaintyNs).toBeGreaterThan(0.3 * S);
  });
});
