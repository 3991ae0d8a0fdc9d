import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace, type TracePlan } from '../testing/build-trace.ts';
import { accountTime } from './account-time.ts';
import { contentionOf } from './contention.ts';

/** What is said of a wait for a CPU where only the job's own threads were recorded: by perf events. */

const WAITED = { thread: 0, state: 0, cpuOut: 0, cpuIn: 0 };
const SWITCHES = { startNs: 100, durationNs: 100, runQueueNs: 100, ...WAITED };

/** Thread 0 waits for CPU 0 over [100, 200), of which thread 1 has it over [100, 130). */
function ownOnly(plan: TracePlan = {}, available = true): Trace {
  const trace = buildTrace({
    processes: [{ pid: 10 }],
    threads: [
      { tid: 10, process: 0 },
      { tid: 11, process: 0 },
    ],
    names: [
      ['HOST', 'throttled by CPU quota'],
      ['LOST', 'on_cpu'],
    ],
    ...plan,
    rows: {
      off_cpu: [SWITCHES, { ...SWITCHES, startNs: 900, durationNs: 10, runQueueNs: 10 }],
      on_cpu: [{ startNs: 100, durationNs: 30, thread: 1, cpu: 0 }],
      ...plan.rows,
    },
    provenance: { on_cpu: { kind: 'partial', note: 'Own threads.' }, ...plan.provenance },
  });
  return { ...trace, capabilities: [{ name: 'perf_switch', available, detail: '' }] };
}

const partsOf = (trace: Trace) =>
  accountTime(trace, undefined, 0, 100, 200).map(({ detail, ns, basis, reason }) => ({
    ...{ detail, ns, basis },
    reason,
  }));

test('own threads are named by their slices, and nobody else', () => {
  const { contenders, unknownNs, outsideJob, note } = contentionOf(
    ownOnly(),
    undefined,
    0,
    100,
    200,
  );
  expect(contenders.map(({ thread, ns }) => [thread, ns])).toEqual([[1, 30]]);
  expect([unknownNs, outsideJob]).toEqual([70, true]);
  expect(note).toMatch(
    /^For 70 ns no thread of this job .* something outside this job, or the kernel/,
  );
  expect(partsOf(ownOnly()).find(({ detail }) => detail === 'unknown')).toMatchObject({
    ns: 70,
    reason: expect.stringContaining('no thread of this job had the CPU'),
  });
});

test.each<[string, Trace]>([
  ['slices were lost', ownOnly({ rows: { gap: [{ startNs: 1, durationNs: 1, lost: 3, op: 1 }] } })],
  ['the switches are no perf events', ownOnly({}, false)],
  ['switches may be missing', ownOnly({ provenance: { off_cpu: { kind: 'partial', note: '' } } })],
])('where %s nothing is said of who it was', (_, trace) => {
  const { unknownNs, outsideJob, note } = contentionOf(trace, undefined, 0, 100, 200);
  expect([unknownNs, outsideJob]).toEqual([70, undefined]);
  expect(note).not.toContain('outside');
});

const held = (totalNs: number) => ({
  rows: { aggregate: [{ startNs: 120, durationNs: 60, source: 0, op: 0, count: 1, totalNs }] },
  provenance: { aggregate: { kind: 'sampled', everyNs: 60, note: '' } },
});

test('a quota that held the control group back meanwhile is told, no longer than it did', () => {
  const { throttledNs, unknownNs, othersRanNs } = contentionOf(
    ...([ownOnly(held(20) as TracePlan), undefined, 0, 100, 200] as const),
  );
  expect({ throttledNs, unknownNs, othersRanNs }).toEqual({
    ...{ throttledNs: 20, unknownNs: 50, othersRanNs: 30 },
  });
  const quota = partsOf(ownOnly(held(20) as TracePlan)).find(
    ({ detail }) => detail === 'throttled',
  );
  expect(quota).toMatchObject({ ns: 20, basis: 'inferred' });
});

test('a quota that held it back longer explains what lies between the looks, and not the rest', () => {
  const { throttledNs, unknownNs } = contentionOf(
    ...([ownOnly(held(1e9) as TracePlan), undefined, 0, 100, 200] as const),
  );
  // From 130 to 180; thread 1 ran before, and after it was looked at again.
  expect({ throttledNs, unknownNs }).toEqual({ throttledNs: 50, unknownNs: 20 });
});

test('how a wait that was no preemption splits is as certain as its time in the queue', () => {
  const trace = ownOnly({
    rows: {
      off_cpu: [
        { ...SWITCHES, state: 1, runQueueNs: 40 },
        { ...SWITCHES, startNs: 900 },
      ],
    },
  });
  const { off_cpu } = trace.tables;
  const runQueueNs = { kind: 'inferred', note: '' } as const;
  const tables = { ...trace.tables, off_cpu: { ...off_cpu, columnProvenance: { runQueueNs } } };
  const bases = accountTime({ ...trace, tables }, undefined, 0, 100, 200).map(({ basis }) => basis);
  expect(new Set(bases)).toEqual(new Set(['inferred']));
  expect(new Set(partsOf(ownOnly()).map(({ basis }) => basis))).toEqual(new Set(['exact']));
});
