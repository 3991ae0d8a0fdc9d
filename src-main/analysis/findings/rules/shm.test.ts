import { expect, test } from 'vitest';
import { buildFacts } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { shm } from './shm.ts';

function facts(name: string, thread: number) {
  return buildFacts({
    workers: [{}],
    trace: {
      names: [['HOST', name]],
      rows: { process_event: [{ startNs: 5, thread, op: 0, kind: 3, subject: -1 }] },
    },
  });
}

test('counts the workers that died', () => {
  const judgement = shm.judge(exampleFacts('shm'));
  expect(judgement?.sentence).toContain('1 DataLoader worker of pid 100 died of a bus error');
  expect(judgement?.claims).toBeUndefined();
});

test('silent about other ends, and about others', () => {
  expect(shm.judge(facts('exit', 1))).toBeUndefined();
  expect(shm.judge(facts('exit, killed by signal 9', 1))).toBeUndefined();
  expect(shm.judge(facts('exit, killed by signal 77', 1))).toBeUndefined();
  expect(shm.judge(facts('exit, killed by signal 7', 0))).toBeUndefined();
  expect(shm.judge(facts('exit, killed by signal 7', 1))).toBeDefined();
});

test('says where ends are recorded without their signal', () => {
  const { trace } = facts('exit', 1);
  expect(shm.needs[0].missing(trace)).toContain('without the signal');
  const ours = { ...trace, meta: { ...trace.meta, format: 'Stalltrace' } };
  expect(shm.needs[0].missing(ours)).toContain('without the signal');
  expect(shm.needs[0].missing(facts('exit, killed by signal 9', 1).trace)).toBeUndefined();
});

test('that every event is stored is no reason for a question about signals', () => {
  const note = 'All 2 process events Ingero counted are stored.';
  const { trace } = buildFacts({
    workers: [{}],
    trace: {
      names: [['HOST', 'process_fork']],
      rows: { process_event: [{ startNs: 5, thread: 1, op: 0, kind: 1, subject: -1 }] },
      provenance: { process_event: { kind: 'exact', note } },
    },
  });
  expect(shm.needs[0].missing(trace)).toBe('This trace holds no end of a process.');
});
