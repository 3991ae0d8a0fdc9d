import { expect, test } from 'vitest';
import type { Row } from '../../testing/build-trace.ts';
import { checkpoint } from '../rules/checkpoint.ts';
import { buildFacts, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { hostPlan, SYSCALL, waitRows } from '../testing/host-examples.ts';
import { callsOfMakers, LOCKING, READING } from './recorded-calls.ts';

const names = [
  ['HOST', 'openat'],
  ['HOST', 'read'],
  ['HOST', 'futex'],
  ['HOST', 'poll'],
] as const;
const [OPENAT, READ, FUTEX, POLL] = [0, 1, 2, 3];

function calls(op: number, count: number, durationNs: number, thread = 1): Row<'syscall'>[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ startNs: at * 20 * MS, durationNs, thread, op },
  }));
}

const stored = [
  ...calls(READ, 100, 2 * MS),
  ...calls(OPENAT, 200, 4 * MS),
  ...calls(FUTEX, 3, 30 * MS),
  ...calls(POLL, 100, 15 * MS),
  ...calls(READ, 500, 9 * MS, 0),
];

const factsOf = (kind: 'partial' | 'exact', plan: FactsPlan = {}) =>
  buildFacts({
    workers: [{ batches: 50 }],
    ...plan,
    trace: {
      names,
      rows: { syscall: stored },
      provenance: { syscall: { kind, note: '' } },
    },
  });

test('tells how many calls the workers made, for each batch, and how long they took', () => {
  expect(callsOfMakers(factsOf('partial'), READING).map(({ text }) => text)).toEqual([
    '200 openat calls of 1 ms or more by the workers, 4 for each batch: 800.0 ms in all, 4.000 ms each (median)',
    '100 read calls of 1 ms or more by the workers, 2 for each batch: 200.0 ms in all, 2.000 ms each (median)',
  ]);
  const [futex, ...others] = callsOfMakers(factsOf('exact'), LOCKING);
  expect(others).toEqual([]);
  expect(futex.text).toBe('3 futex calls by the workers: 90.00 ms in all, 30.00 ms each (median)');
  expect([futex.basis, futex.events.count]).toEqual(['exact', 3]);
});

test('says nothing of calls outside of the time that is judged, nor where none were recorded', () => {
  const late = factsOf('partial', { window: [9 * SECOND, 10 * SECOND] });
  expect(callsOfMakers(late, READING)).toEqual([]);
  expect(callsOfMakers(exampleFacts('small-files'), READING)).toEqual([]);
});

test('tells the calls that the training thread was in while it saved, and no others', () => {
  const waits = waitRows({
    ...{ count: 5, everyNs: 2 * SECOND, startNs: 5 * MS, durationNs: 90 * MS, state: 2 },
    ...{ ioWait: 1, syscall: SYSCALL.fsync, file: 0, wakerContext: 3, shown: 'saving' },
  });
  const plan = hostPlan('checkpoint', { disk: 0.45 * SECOND }, { saving: 5 }, waits);
  const known = plan.trace?.names ?? [];
  const saving = waits.map(({ startNs = 0 }) => ({
    ...{ startNs: startNs - MS, durationNs: 92 * MS, thread: 0, op: known.length },
  }));
  const elsewhere = { startNs: SECOND, durationNs: 50 * MS, thread: 0, op: known.length + 1 };
  const syscall = [...saving, elsewhere];
  const trace = {
    ...plan.trace,
    names: [...known, ['HOST', 'fsync'], ['HOST', 'openat']] as const,
    rows: { ...plan.trace?.rows, syscall },
  };
  const texts = checkpoint.judge(buildFacts({ ...plan, trace }))?.evidence.map(({ text }) => text);
  expect(texts).toContain(
    '5 fsync calls by the training thread: 460.0 ms in all, 92.00 ms each (median)',
  );
  expect(texts?.filter((text) => text.includes('openat'))).toEqual([]);
});
