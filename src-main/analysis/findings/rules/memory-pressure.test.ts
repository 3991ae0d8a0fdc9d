import { expect, test } from 'vitest';
import { buildTrace, type TracePlan } from '../../testing/build-trace.ts';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { memoryPressure } from './memory-pressure.ts';

test('swapping is pressure, and the time for pages its cost', () => {
  const judgement = memoryPressure.judge(exampleFacts('memory-pressure'));
  expect(judgement?.sentence).toContain('5,000 pages a second came back from swap');
  expect(judgement?.claims).toBeDefined();
  // How much one worker needs is not known: fewer may do nothing.
  expect(judgement?.fix.title).toBe('Give the job more memory, or keep less in it');
});

test('major faults alone are none: reading a mapped file makes them too', () => {
  const facts = buildFacts({
    workers: [{ states: { majorFaults: 100_000 } }],
    costs: [cell('input', 'worker', 'fault', 3 * SECOND)],
  });
  expect(memoryPressure.judge(facts)).toBeUndefined();
});

test('an OOM kill of the job is one, of another process not', () => {
  const facts = (victim: number) =>
    buildFacts({
      workers: [{}],
      trace: {
        processes: [{ pid: 100 }, { pid: 101, name: 'python3' }, { pid: 999, name: 'other' }],
        threads: [0, 1, 2].map((process) => ({ tid: process, process })),
        names: [['HOST', 'OOM kill']],
        rows: { process_event: [{ startNs: 5, thread: 0, op: 0, kind: 5, subject: victim }] },
      },
    });
  const judgement = memoryPressure.judge(facts(1));
  expect(judgement?.sentence).toContain('killed 1 process of the job for memory, first python3');
  // Without time that is known to be lost it costs nothing.
  expect(judgement?.claims).toBeUndefined();
  expect(memoryPressure.judge(facts(2))).toBeUndefined();
});

test('direct reclaim counts from a share of the time that is worth telling', () => {
  const facts = (durationNs: number) =>
    buildFacts({
      trace: {
        threads: [{ tid: 100, process: 0 }],
        names: [['HOST', 'direct reclaim']],
        rows: { range: [{ startNs: 0, durationNs, thread: 0, op: 0, category: 0 }] },
      },
    });
  expect(memoryPressure.judge(facts(0.5 * SECOND))?.sentence).toContain('direct reclaim, 1 time');
  expect(memoryPressure.judge(facts(0.01 * SECOND))).toBeUndefined();
});

test('asks for samples only where no events say it either', () => {
  const [need] = memoryPressure.needs;
  expect(need.missing(buildTrace({}))).toContain('samples');
  const events = { provenance: { process_event: { kind: 'exact', note: '' } } } as const;
  expect(need.missing(buildTrace(events))).toBeUndefined();
});

test('without switches the faults of CUDA calls that needed a disk are told', () => {
  const facts = (calls: NonNullable<TracePlan['rows']>['cuda_call']) =>
    buildFacts({
      main: { majorFaults: -1 },
      trace: {
        names: [['HOST', 'OOM kill']],
        rows: {
          process_event: [{ startNs: 5, thread: 0, op: 0, kind: 5, subject: 0 }],
          cuda_call: calls ?? [],
        },
      },
    });
  const call = { thread: 0, startNs: 5, durationNs: 9 };
  const told = memoryPressure.judge(
    facts([
      { ...call, majorFaults: 3 },
      { ...call, majorFaults: 4, parent: 0 },
      { ...call, majorFaults: 2 },
      { ...call, majorFaults: -1 },
      { ...call, majorFaults: 50, startNs: 20 * SECOND },
    ]),
  );
  expect(told?.evidence.map(({ text }) => text)).toContain(
    '5 page faults inside CUDA calls had to read from a disk',
  );
  expect(memoryPressure.judge(facts([call]))?.evidence).toHaveLength(2);
});
