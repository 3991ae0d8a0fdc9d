import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { atOnce, ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { spansLength } from '../index/spans.ts';
import { h2dGroups } from '../steps/h2d-groups.ts';
import { starvationOf } from '../steps/starvation.ts';
import {
  AUTOGRAD,
  COPY,
  call,
  D2H,
  DEVICE_SYNC,
  H2D,
  LAUNCH,
  loopRank,
  loopTrace,
  MAIN,
  MS,
  PAGEABLE,
  SYNC,
  steps,
} from '../steps/testing/loop-trace.ts';
import type { TracePlan } from '../testing/build-trace.ts';
import { WORK_NONE, WORK_SUBMITTED } from './open-streams.ts';
import { outstandingWork, outstandingWorkAhead, workBefore, workNear } from './outstanding-work.ts';
import { streamEmptyAt } from './stream-empty.ts';

type Calls = Parameters<typeof loopTrace>[0]['cuda_call'];

/** Whether the stream of the last of `calls` was empty when it was entered. */
function emptyAtLast(calls: NonNullable<Calls>, more?: TracePlan) {
  return streamEmptyAt(loopTrace({ cuda_call: calls }, more), calls.length - 1);
}

describe('streamEmptyAt', () => {
  const copyAt = (ns: number) => call(COPY, ns, MS);

  it('is true before anything was submitted and after a wait for it', () => {
    expect(emptyAtLast([copyAt(0)])).toBe(true);
    expect(emptyAtLast([call(LAUNCH, 0, 10), call(SYNC, 20, 10), copyAt(40)])).toBe(true);
    expect(
      emptyAtLast([call(LAUNCH, 0, 10, { stream: 3 }), call(DEVICE_SYNC, 20, 10), copyAt(40)]),
    ).toBe(true);
  });

  it('tells too many streams not apart: only a wait for the device counts', () => {
    const launches = Array.from({ length: 200 }, (_, stream) =>
      call(LAUNCH, stream * 20, 10, { stream }),
    );
    const waits = launches.map((_, stream) => call(SYNC, 5000 + stream * 20, 10, { stream }));
    expect(emptyAtLast([...launches, ...waits, copyAt(1e4)])).toBe(false);
    const device = call(DEVICE_SYNC, 5000, 10);
    expect(emptyAtLast([...launches, device, copyAt(1e4)])).toBe(true);
    expect(emptyAtLast([...launches.slice(0, 9), ...waits.slice(0, 9), copyAt(1e4)])).toBe(true);
  });

  it('is false behind a kernel: nobody waited for it, or for another stream only', () => {
    expect(emptyAtLast([call(LAUNCH, 0, 10), copyAt(40)])).toBe(false);
    expect(emptyAtLast([call(LAUNCH, 0, 10, { stream: 3 }), call(SYNC, 20, 10), copyAt(40)])).toBe(
      false,
    );
    expect(emptyAtLast([call(SYNC, 0, 10), call(LAUNCH, 20, 10), copyAt(40)])).toBe(false);
  });

  it('takes no wait that failed, or that began before the other thread submitted', () => {
    expect(
      emptyAtLast([call(LAUNCH, 0, 10), call(SYNC, 20, 10, { returnCode: 700 }), copyAt(40)]),
    ).toBe(false);
    const crossing = [call(SYNC, 0, 30), call(LAUNCH, 10, 5, { thread: AUTOGRAD }), copyAt(40)];
    expect(emptyAtLast(crossing)).toBe(false);
  });

  it('takes a copy to pageable host memory for a wait, not one to pinned memory', () => {
    const back = { ...D2H, stack: -1 };
    expect(
      emptyAtLast([call(LAUNCH, 0, 10), call(COPY, 20, 10, { ...back, ...PAGEABLE }), copyAt(40)]),
    ).toBe(true);
    expect(
      emptyAtLast([
        call(LAUNCH, 0, 10),
        call(COPY, 20, 10, { ...back, hostMemory: 1 }),
        copyAt(40),
      ]),
    ).toBe(false);
  });

  it('cannot tell where calls may be missing, until the next wait', () => {
    const calls = [call(SYNC, 0, 10), copyAt(40)];
    const gap = [{ startNs: 15, durationNs: 10, lost: 3 }];
    expect(streamEmptyAt(loopTrace({ cuda_call: calls, gap }), 1)).toBeUndefined();
    const waited = [call(SYNC, 0, 10), call(SYNC, 30, 5), copyAt(40)];
    expect(streamEmptyAt(loopTrace({ cuda_call: waited, gap }), 2)).toBe(true);
    expect(
      emptyAtLast(calls, { provenance: { cuda_call: { kind: 'partial', note: '' } } }),
    ).toBeUndefined();
  });

  it('cannot tell between windows in which launches are probed, but takes the waits there', () => {
    const of = loopTrace({
      cuda_call: [call(SYNC, 0, 10), call(LAUNCH, 12, 1), call(SYNC, 60, 10), copyAt(80)],
      gap: [{ startNs: 15, durationNs: 50, lost: -1, op: 0 }],
    });
    const trace = {
      ...of,
      names: [...of.names, 'launch'],
      nameSources: [...of.nameSources, 'LOST'],
    };
    of.tables.gap.columns.op?.fill(of.names.length);
    // The wait was entered in the gap: what was launched since is not known.
    expect(streamEmptyAt(trace, 3)).toBeUndefined();
    expect(outstandingWork(trace, 0).waits).toEqual(Uint32Array.of(2));
  });

  it('cannot tell at first of a process that was attached to', () => {
    const processes = [{ pid: 1 }, { pid: 2, parent: 0 }];
    expect(emptyAtLast([copyAt(40)], { processes })).toBeUndefined();
    expect(emptyAtLast([call(LAUNCH, 0, 10), call(SYNC, 20, 10), copyAt(40)], { processes })).toBe(
      true,
    );
    const exec = [{ startNs: 0, thread: MAIN, op: 5, kind: 2 }];
    expect(
      streamEmptyAt(loopTrace({ cuda_call: [copyAt(40)], process_event: exec }, { processes }), 0),
    ).toBe(true);
  });

  it('cannot tell after launches that were only counted', () => {
    const calls = [call(LAUNCH, 0, 10), call(SYNC, 20, 10), copyAt(4 * MS)];
    const bucket = {
      startNs: 0,
      durationNs: MS,
      thread: MAIN,
      op: LAUNCH,
      source: 5,
      count: 9,
      stored: 1,
    };
    expect(streamEmptyAt(loopTrace({ cuda_call: calls, aggregate: [bucket] }), 2)).toBeUndefined();
    const all = { ...bucket, stored: 9 };
    expect(streamEmptyAt(loopTrace({ cuda_call: calls, aggregate: [all] }), 2)).toBe(true);
  });
});

describe('outstandingWork', () => {
  const one = fc.record({
    op: fc.constantFrom(LAUNCH, COPY, SYNC, DEVICE_SYNC),
    afterNs: fc.integer({ min: 0, max: 3 }),
    durationNs: fc.integer({ min: 0, max: 12 }),
    stream: fc.integer({ min: -1, max: 1 }),
    thread: fc.constantFrom(MAIN, AUTOGRAD),
    returnCode: fc.constantFrom(0, 0, 0, 700),
  });
  const gap = fc.record({
    startNs: fc.integer({ min: 0, max: 60 }),
    durationNs: fc.integer({ min: 0, max: 9 }),
    lost: fc.constant(3),
  });
  const plan = fc.tuple(fc.array(one, { maxLength: 40 }), fc.array(gap, { maxLength: 2 }));
  const traceOf = ([calls, gaps]: typeof plan extends fc.Arbitrary<infer Plan> ? Plan : never) => {
    let atNs = 0;
    const cuda_call = calls.map(({ op, afterNs, durationNs, ...more }) => {
      atNs += afterNs;
      return call(op, atNs, durationNs, more);
    });
    return loopTrace({ cuda_call, gap: gaps.toSorted((a, b) => a.startNs - b.startNs) });
  };
  const momentsNs = Array.from({ length: 47 }, (_, at) => 3 * at);

  it('is the same of any moment, whether it is asked for first, last, or behind the whole trace', () => {
    fc.assert(
      fc.property(plan, (planned) => {
        const inOrder = momentsNs.map((ns) => workBefore(traceOf(planned), 0, ns));
        const trace = traceOf(planned);
        expect(momentsNs.map((ns) => workBefore(trace, 0, ns))).toEqual(inOrder);
        const near = (ns: number) => atOnce(workNear(traceOf(planned), 0, ns, [1, 2, 4, 8, 16]));
        expect(momentsNs.map(near)).toEqual(inOrder);
        const { startsNs, states } = outstandingWork(traceOf(planned), 0);
        expect(momentsNs.map((ns) => states[lowerBound(startsNs, ns) - 1])).toEqual(inOrder);
      }),
      { numRuns: 60 },
    );
  });

  it('goes through a large trace as far as it is asked', () => {
    const calls = Array.from({ length: 2.5 * ROWS_OF_A_PIECE }, (_, at) =>
      call(at % 3 === 2 ? SYNC : LAUNCH, 10 * at, 5),
    );
    const trace = loopTrace({ cuda_call: calls });
    const early = [...outstandingWorkAhead(trace, 0, 100)].length;
    expect(momentsNs.map((ns) => workBefore(trace, 0, ns))).toEqual(
      momentsNs.map((ns) => (ns % 30 > 0 && ns % 30 <= 25 ? WORK_SUBMITTED : WORK_NONE)),
    );
    // One piece is gone through, of three that are looked at for their streams.
    expect(early).toBe(4);
    expect([...outstandingWorkAhead(trace, 0)]).toHaveLength(2);
    expect(outstandingWork(trace, 0).waits).toHaveLength(Math.floor(calls.length / 3));
    expect(workBefore(trace, 0, 10 * calls.length)).toBe(
      calls.at(-1)?.op === SYNC ? WORK_NONE : WORK_SUBMITTED,
    );
  });

  it('is told of one late call by those before it, where older ones can not matter', () => {
    const calls = Array.from({ length: 2.5 * ROWS_OF_A_PIECE }, (_, at) =>
      call(at % 3 === 2 ? SYNC : LAUNCH, 10 * at, 5),
    );
    // The last of three has returned.
    const lateNs = 10 * (calls.length - 3) + 7;
    const pieces = (more: typeof calls) => {
      const trace = loopTrace({ cuda_call: [...more, ...calls.slice(more.length)] });
      const all = [...workNear(trace, 0, lateNs)].length;
      expect(atOnce(workNear(trace, 0, lateNs))).toBe(workBefore(trace, 0, lateNs));
      return all;
    };
    // Three for its streams, and no other.
    expect(pieces([])).toBe(3);
    // What the first call submits, on another stream, nobody waits for.
    expect(pieces([call(LAUNCH, 0, 5, { stream: 1 })])).toBeGreaterThan(3);
  });

  it('is what was submitted later than the last wait for its stream was entered', () => {
    fc.assert(
      fc.property(plan, ([calls]) => {
        const trace = traceOf([calls, []]);
        const found = momentsNs.map((ns) => workBefore(trace, 0, ns) === WORK_SUBMITTED);
        expect(found).toEqual(momentsNs.map((ns) => isOutstanding(trace, ns)));
      }),
      { numRuns: 200 },
    );
  });
});

/** Looks through all calls: whether some stream got work before `ns` that no wait which had returned by then was for. */
function isOutstanding({ tables }: Trace, ns: number): boolean {
  const { op, startNs, durationNs, stream, returnCode } = tables.cuda_call.columns;
  const rows = [...op.keys()];
  const endNs = (row: number) => startNs[row] + durationNs[row];
  const waits = rows.filter(
    (row) =>
      (op[row] === SYNC || op[row] === DEVICE_SYNC) && returnCode?.[row] === 0 && endNs(row) < ns,
  );
  const isWaitedFor = (row: number) =>
    waits.some(
      (wait) =>
        (op[wait] === DEVICE_SYNC || stream?.[wait] === stream?.[row]) &&
        startNs[wait] >= endNs(row) &&
        endNs(wait) > startNs[row],
    );
  return rows.some(
    (row) => (op[row] === LAUNCH || op[row] === COPY) && startNs[row] < ns && !isWaitedFor(row),
  );
}

describe('starvationOf', () => {
  it('is a bound without GPU records: from a wait to the next call that submits', () => {
    const trace = loopTrace({ cuda_call: steps(12) });
    const { summary, idle } = starvationOf(trace, loopRank(), [0, 115 * MS]);
    expect(summary).toMatchObject({ basis: 'bound', idleNs: 11 * 5 * MS });
    expect([...idle.startsNs.slice(0, 2)]).toEqual([5 * MS, 15 * MS]);
    expect(summary.longest[0]).toEqual([5 * MS, 10 * MS]);
    // Without switches nothing shows that the waiting thread could have come back sooner.
    expect(summary.busyNs).toBe(0);
  });

  it('is busy while a thread on its CPU waits, not once it is off it', () => {
    const off = (startNs: number, durationNs: number) => ({
      startNs,
      durationNs,
      thread: MAIN,
      state: 0,
      runQueueNs: durationNs,
    });
    // In the wait of the second step, up to 0.01 ms before its end.
    const off_cpu = [off(0, 1), off(12 * MS, 2.99 * MS), off(130 * MS, 1)];
    const trace = loopTrace({ cuda_call: steps(12), off_cpu });
    const { summary } = starvationOf(trace, loopRank(), [0, 115 * MS]);
    expect(summary.busyNs).toBe(11 * 3.5 * MS + 0.5 * MS);
  });

  it('is exact from the GPU’s records', () => {
    const gpu_work = [0, 1, 2].map((at) => ({
      startNs: at * 10 * MS,
      durationNs: 4 * MS,
      op: LAUNCH,
      gpu: 0,
    }));
    const { summary } = starvationOf(loopTrace({ cuda_call: steps(3), gpu_work }), loopRank(), [
      0,
      24 * MS,
    ]);
    expect(summary).toMatchObject({
      basis: 'exact',
      idleNs: 12 * MS,
      busyNs: 12 * MS,
      unknownNs: 0,
    });
  });

  it('takes no records and no gap of another host for its own', () => {
    const record = { startNs: 0, durationNs: 4 * MS, op: LAUNCH, gpu: 0 };
    const basisWith = (workHost: number, gapHost?: number) => {
      const gap = gapHost === undefined ? [] : [{ startNs: 0, lost: 1, host: gapHost }];
      const trace = loopTrace({ cuda_call: steps(3), gpu_work: [record], gap });
      const gpus = [{ model: 'a GPU', host: workHost }];
      const several = { ...trace, hosts: [{}, {}], gpus };
      return starvationOf(several, loopRank(), [0, 24 * MS]).summary.basis;
    };
    expect(basisWith(0)).toBe('exact');
    expect(basisWith(1)).not.toBe('exact');
    expect(basisWith(0, 1)).toBe('exact');
    expect(basisWith(0, 0)).not.toBe('exact');
  });

  it('is unknown where calls are missing', () => {
    const provenance = { cuda_call: { kind: 'partial', note: '' } } as const;
    const { summary } = starvationOf(
      loopTrace({ cuda_call: steps(3) }, { provenance }),
      loopRank(),
      [0, 25 * MS],
    );
    expect(summary).toMatchObject({ basis: 'unknown', idleNs: 0, unknownNs: 25 * MS });
  });

  it('adds up to the window, and never calls idle what a slow search finds outstanding', () => {
    const one = fc.tuple(
      fc.constantFrom(LAUNCH, COPY, SYNC, DEVICE_SYNC),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 20 }),
      fc.constantFrom(0, 1),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (plan) => {
        let atNs = 0;
        const calls = plan.map(([op, afterNs, ns, stream]) => {
          const startNs = atNs + afterNs;
          atNs = startNs + ns;
          return call(op, startNs, ns, op === DEVICE_SYNC ? {} : { stream });
        });
        const { summary, idle } = starvationOf(loopTrace({ cuda_call: calls }), loopRank(), [
          0,
          atNs,
        ]);
        expect(summary.idleNs + summary.busyNs + summary.unknownNs).toBe(atNs);
        expect(spansLength(idle)).toBe(summary.idleNs);
        idle.startsNs.forEach((startNs, at) => {
          expect(outstandingAt(calls, (startNs + idle.endsNs[at]) / 2)).toBe(false);
        });
      }),
      { numRuns: 300 },
    );
  });
});

/** Whether at `ns` something was submitted whose stream nobody had waited for since. One thread only. */
function outstandingAt(calls: readonly ReturnType<typeof call>[], ns: number): boolean {
  const before = calls.filter(({ startNs = 0 }) => startNs < ns);
  return before.some(
    ({ op, stream }, at) =>
      (op === LAUNCH || op === COPY) &&
      !before
        .slice(at + 1)
        .some(
          (later) =>
            (later.startNs ?? 0) + (later.durationNs ?? 0) <= ns &&
            (later.op === DEVICE_SYNC || (later.op === SYNC && later.stream === stream)),
        ),
  );
}

describe('h2dGroups', () => {
  it('sums copies by memory, with the wait that follows, and knows which found their stream empty', () => {
    const cuda_call = [
      call(COPY, 0, MS, PAGEABLE),
      call(SYNC, 1.1 * MS, 0.9 * MS),
      call(LAUNCH, 3 * MS, 10),
      call(COPY, 4 * MS, 5 * MS, PAGEABLE),
      call(COPY, 10 * MS, 10, { ...H2D, hostMemory: 1 }),
      call(COPY, 11 * MS, 10, { ...H2D, bytes: 4096 }),
    ];
    const groups = h2dGroups(loopTrace({ cuda_call }), loopRank(), [0, 20 * MS]);
    expect(groups).toMatchObject([
      {
        memory: 'pageable',
        calls: 2,
        bytes: 2 ** 21,
        ns: 7 * MS,
        onEmptyStream: 1,
        onEmptyStreamNs: 2 * MS,
      },
      { memory: 'pinned', calls: 1, onEmptyStream: 0 },
    ]);
    expect(groups[0].bestBytesPerNs).toBeCloseTo(2 ** 20 / (2 * MS));
    expect(groups[0].events).toEqual({
      shown: [
        { table: 'cuda_call', row: 3 },
        { table: 'cuda_call', row: 0 },
      ],
      count: 2,
    });
  });
});
