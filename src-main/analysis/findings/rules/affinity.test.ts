import { describe, expect, test } from 'vitest';
import { buildFacts, cell, type FactsPlan, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { affinity } from './affinity.ts';

function facts(main: string, worker: string, more: FactsPlan = {}) {
  return buildFacts({
    cpus: { machine: 4, usable: 4, basis: '' },
    workers: [{}],
    costs: [cell('input', 'worker', 'runnable-own', 2 * SECOND)],
    trace: {
      processes: [main, worker].map((cpusAllowed, at) => ({ pid: 100 + at, cpusAllowed })),
    },
    ...more,
  });
}

test('workers below what the training process may use', () => {
  const judgement = affinity.judge(exampleFacts('affinity'));
  expect(judgement?.sentence).toContain('Workers may use only 1 CPU (0); the training process 4');
  expect(judgement?.confidence).toBe('proven');
});

test('a whole job on few CPUs may be meant: possible, and says so', () => {
  const judgement = affinity.judge(facts('0-1', '0-1'));
  expect(judgement?.sentence).toContain('The job may use only 2 CPUs (0–1); the machine has 4');
  expect(judgement?.confidence).toBe('possible');
  expect(judgement?.fix.text).toContain('If the limit is meant');
});

test('silent where all CPUs may be used, nobody waits, or a quota is smaller anyway', () => {
  expect(affinity.judge(facts('0-3', '0-3'))).toBeUndefined();
  expect(affinity.judge(facts('0-3', '0', { costs: [] }))).toBeUndefined();
  const cpus = { machine: 4, usable: 1, quota: 1, basis: '' };
  expect(affinity.judge(facts('0-1', '0-1', { cpus }))).toBeUndefined();
});

describe('where others use the other CPUs', () => {
  const example = exampleFacts('affinity');
  const { sample } = example.trace.tables;
  const busy = {
    ...sample,
    columns: { ...sample.columns, value: sample.columns.value.map(() => 95) },
  };
  const trace = { ...example.trace, tables: { ...example.trace.tables, sample: busy } };

  test('a limit that nobody meant is told, with what there is to win', () => {
    const judgement = affinity.judge({ ...example, trace });
    expect(judgement?.confidence).toBe('likely');
    expect(judgement?.sentence).toMatch(
      /The other 3 CPUs were 95 % busy on average: there it would have to share with others\.$/,
    );
  });

  test('one that may be meant is not', () => {
    const whole = trace.processes.map((process) => ({ ...process, cpusAllowed: '0' }));
    expect(affinity.judge({ ...example, trace: { ...trace, processes: whole } })).toBeUndefined();
  });
});

test('a list that is none is not known', () => {
  expect(affinity.judge(facts('0-3', 'all of them'))).toBeUndefined();
});

describe('where the CPUs of the control group are known', () => {
  const limited = (cpusAllowed: string, groupCpus: string, more: FactsPlan = {}) =>
    affinity.judge(
      facts(cpusAllowed, cpusAllowed, {
        trace: {
          processes: [0, 1].map((at) => ({ pid: 100 + at, cpusAllowed, groupCpus })),
        },
        ...more,
      }),
    );

  test('its cpuset is the limit, which the job can not lift by itself', () => {
    const judgement = limited('0-1', '0-1');
    expect(judgement?.sentence).toContain(
      'The job may use only 2 CPUs (0–1), by the cpuset of its control group; the machine has 4.',
    );
    expect(judgement?.fix.after).toBe('echo 0-3 > "$CGROUP/cpuset.cpus"');
    expect(judgement?.fix.language).toBe('shell');
  });

  test('what it leaves is what the job may take back, no more', () => {
    const judgement = limited('0', '0-2');
    expect(judgement?.sentence).toContain(
      'The job may use only 1 CPU (0), by its affinity; its control group leaves it 3.',
    );
    expect(judgement?.fix.title).toBe('Let the workers use 2 more CPUs');
    expect(judgement?.fix.text).not.toContain('cpuset of a container');
  });

  test('a job without workers is told too, and gives itself the CPUs', () => {
    const costs = [cell('other', 'main', 'runnable-own', 2 * SECOND)];
    const judgement = limited('0', '0-2', { workers: [], costs });
    expect(judgement?.fix.title).toBe('Let the job use 2 more CPUs');
    expect(judgement?.fix.after).toContain('os.sched_setaffinity(0, range(os.cpu_count()))');
  });
});
