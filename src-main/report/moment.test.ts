import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrace, type TracePlan } from '../analysis/testing/build-trace.ts';
import { summarise } from '../app/trace-process/summarise.ts';
import type { Trace } from '../shared/model/trace.ts';
import { Longest } from './longest.ts';
import { MAX_BARS } from './moment.ts';
import { reportFacts } from './report-facts.ts';
import { copyPlan } from './testing/report-trace.ts';

function factsOf(trace: Trace, focus = {}) {
  return reportFacts(trace, summarise(trace), focus);
}

test('a call with a margin, its thread’s states, running where nothing can be missing', () => {
  const { moment } = factsOf(buildTrace(copyPlan), { call: 0 });
  expect(moment).toMatchObject({ startNs: 500, endNs: 1600, empty: [], workersLeftOut: 0 });
  expect(moment?.lanes).toMatchObject([
    { title: 'CUDA calls of python (tid 9)', bars: [{ kind: 'call', startNs: 1000 }], more: 0 },
    {
      title: 'python (tid 9)',
      bars: [
        { kind: 'off-cpu', name: 'Sleeping', startNs: 900, durationNs: 10 },
        { kind: 'running', name: 'Running', startNs: 910, durationNs: 100 },
        { kind: 'off-cpu', startNs: 1010, durationNs: 60 },
        { kind: 'running', startNs: 1070, durationNs: 130 },
        { kind: 'off-cpu', name: 'Sleeping', startNs: 1200, durationNs: 10 },
      ],
    },
  ]);
});

test('a range around the call is the moment, one elsewhere is not', () => {
  const trace = buildTrace(copyPlan);
  const around = { startNs: 950, endNs: 1150 };
  expect(factsOf(trace, { call: 0, range: around }).moment).toMatchObject(around);
  const elsewhere = { startNs: 2000, endNs: 3000 };
  expect(factsOf(trace, { call: 0, range: elsewhere }).moment).toMatchObject({ startNs: 500 });
});

test('workers stand in it by their slices where their switches are not stored, else as empty', () => {
  const plan: TracePlan = {
    ...copyPlan,
    processes: [
      ...copyPlan.processes,
      ...Array.from({ length: 10 }, (_, at) => ({
        pid: 20 + at,
        role: 'dataloader-worker' as const,
      })),
    ],
    threads: [
      ...copyPlan.threads,
      ...Array.from({ length: 10 }, (_, at) => ({
        tid: 20 + at,
        process: at + 1,
        role: 'dataloader-worker' as const,
      })),
    ],
    rows: { ...copyPlan.rows, on_cpu: [{ startNs: 1000, durationNs: 50, thread: 1, cpu: 3 }] },
  };
  const { moment } = factsOf(buildTrace(plan), { call: 0 });
  expect(moment?.lanes.at(-1)).toMatchObject({
    title: 'DataLoader worker (tid 20)',
    bars: [{ kind: 'running', name: 'Running on CPU 3' }],
  });
  expect(moment?.empty).toHaveLength(7);
  expect(moment?.workersLeftOut).toBe(2);
});

test('no lane takes all bars, the call is never left out', () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    startNs: 1000 + at,
    durationNs: 500,
    thread: 0,
    op: 0,
    layer: 1,
  }));
  const [call] = copyPlan.rows.cuda_call;
  const rows = { ...copyPlan.rows, cuda_call: [call, ...many] };
  const { moment } = factsOf(buildTrace({ ...copyPlan, rows }), {
    call: 0,
    range: { startNs: 0, endNs: 5000 },
  });
  const bars = moment?.lanes.flatMap((lane) => lane.bars) ?? [];
  expect(bars).toHaveLength(MAX_BARS);
  expect(bars.filter(({ kind }) => kind === 'call')).toHaveLength(1);
  expect(moment?.lanes[1]?.bars.length).toBeGreaterThan(4);
  expect(moment?.lanes[0]?.more).toBe(301 - (moment?.lanes[0]?.bars.length ?? 0));
});

test('of very many switches the longest are drawn, and no running that was not looked at', () => {
  const off_cpu = Array.from({ length: 20_002 }, (_, at) => ({
    startNs: at * 10,
    durationNs: at === 700 ? 1_000 : 5,
    thread: 0,
    state: 1,
  }));
  const rows = { ...copyPlan.rows, off_cpu };
  const { moment } = factsOf(buildTrace({ ...copyPlan, rows, lengthNs: 300_000 }), {
    call: 0,
    range: { startNs: 0, endNs: 5_000 },
  });
  expect(moment?.lanes[1]?.bars.some(({ kind }) => kind === 'running')).toBe(true);
  const whole = factsOf(buildTrace({ ...copyPlan, rows, lengthNs: 300_000 }), {
    call: 0,
    range: { startNs: 0, endNs: 250_000 },
  });
  const lane = whole.moment?.lanes[1];
  expect(lane?.bars).toMatchObject([{ kind: 'off-cpu', startNs: 7_000, durationNs: 1_000 }]);
  expect(lane?.more).toBe(20_001);
});

test('without a call to name, the slowest copy is it; without calls there is neither', () => {
  expect(factsOf(buildTrace(copyPlan)).explanation?.call.row).toBe(0);
  const empty = factsOf(buildTrace({}));
  expect(empty.explanation).toBeUndefined();
  expect(empty.moment).toBeUndefined();
});

test('the longest are kept, whatever their number and order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100)), fc.integer({ min: 1, max: 5 }), (lengths, limit) => {
      const longest = new Longest<{ durationNs: number }>(limit);
      for (const durationNs of lengths) longest.offer(durationNs, () => ({ durationNs }));
      const expected = lengths.toSorted((a, b) => b - a).slice(0, limit);
      expect(longest.values().map(({ durationNs }) => durationNs)).toEqual(expected);
      expect(longest.seen).toBe(lengths.length);
    }),
  );
});
