import { expect, test } from 'vitest';
import { toldTime } from '../claim-costs.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { ownProcessTrace } from '../testing/loop-examples.ts';
import { sampled } from '../testing/sampled.ts';
import { ownProcess } from './own-process.ts';
import { slowGetitem } from './slow-getitem.ts';

const working = cell('input', 'worker', 'running', 2 * SECOND);

const judge = (changes = {}) => ownProcess.judge(exampleFacts('own-process', changes));

test('a process that neither trains nor loads has its share of what the job took from itself, and its function', () => {
  const judgement = judge();
  expect(judgement?.sentence).toContain(
    'python3 (pid 103), the server of a multiprocessing.Manager, had',
  );
  expect(judgement?.sentence).toContain('took the training loop 3.000 s (30.0 % of the time)');
  expect(judgement?.sentence).toContain('mostly in ForkingPickler.dumps');
  expect(judgement?.culprit).toBe('multiprocessing.Manager');
  expect(judgement?.fix.title).toContain('not in a Manager');
});

/** Workers of which samples show that, beside a manager; they waited for CPUs so many times as long. */
function besideManager(shown: Parameters<typeof sampled>[0], times = 1) {
  const { costs } = exampleFacts('own-process');
  const seen = sampled(shown);
  const plan = ownProcessTrace('managers.py');
  const first = plan.stacks?.[0] ?? [];
  const cpu_sample = [
    ...seen.rows.cpu_sample,
    ...(plan.rows?.cpu_sample ?? []).map((row) => ({ ...row, stack: seen.stacks.length })),
  ];
  const waits = costs.filter(({ phase }) => phase === 'input');
  return exampleFacts('own-process', {
    costs: [...waits.map((one) => ({ ...one, ns: one.ns * times })), working],
    workers: [{ cycles: { running: 4 * SECOND } }, {}],
    trace: { ...plan, stacks: [...seen.stacks, first], rows: { cpu_sample } },
  });
}

test('what the workers do themselves to ask a manager goes with it', () => {
  const facts = besideManager({ asksManager: 30, defaultCollate: 10 });
  const found = ownProcess.judge(facts);
  expect(found?.sentence).toContain(
    'Besides, it waited 1.500 s for the workers’ own work of asking it, and about 750.0 ms for a CPU that workers had for that work: 5.250 s in all.',
  );
  expect(found && toldTime(found, [working])).toBe(1.5 * SECOND);
  expect(slowGetitem.judge(facts)).toBeUndefined();
});

test('what a dataset does beside asking a manager has its part of the CPUs that workers took', () => {
  // 0.4 of 4 s are asking.
  const found = slowGetitem.judge(besideManager({ asksManager: 16, item: 24 }, 4));
  expect(found?.sentence).toContain('about 2.400 s of it for a CPU that workers had for that work');
});

test('whose code is not a manager’s is told to let the loop go first', () => {
  const judgement = judge({ hotLines: () => [], trace: ownProcessTrace('pool.py') });
  expect(judgement?.culprit).toBe('python3');
  expect(judgement?.fix.after).toContain('os.nice');
});

test('workers and the training process are not told for it, nor strangers', () => {
  const { neighbours } = exampleFacts('own-process');
  const [helper, worker] = neighbours;
  expect(judge({ neighbours: [worker] })).toBeUndefined();
  expect(judge({ neighbours: [{ ...helper, process: 0 }] })).toBeUndefined();
  expect(judge({ neighbours: [{ ...helper, relation: 'other' }] })).toBeUndefined();
});

test('several that do the same are one cause, with the time of all', () => {
  const { neighbours } = exampleFacts('own-process');
  const [helper, ...others] = neighbours;
  const plan = ownProcessTrace('pool.py');
  const second = plan.processes?.length ?? 0;
  const trace = {
    ...plan,
    processes: [...(plan.processes ?? []), { pid: 110, name: 'python3', role: 'other' as const }],
    threads: [...(plan.threads ?? []), { tid: 110, process: second, name: 'python3' }],
  };
  const judgeBoth = (functions: readonly string[]) =>
    judge({
      ...{ trace, neighbours: [helper, { ...helper, process: second }, ...others] },
      hotLines: ([thread]: readonly number[]) =>
        functions.map((name) => ({ function: thread === second ? name : 'pack', samples: 40 })),
    });
  const alike = judgeBoth(['pack']);
  expect(alike?.title).toBe('Other processes of the job have the CPUs');
  expect(alike?.culprit).toBe('pack');
  // 6 of 7 s, and the wait of 4 s in these shares.
  expect(alike?.sentence).toBe(
    '2 processes of the job that neither train nor load, python3 (pid 103) most, had the CPUs, mostly in pack, while the training process and its workers were ready to run, for 6.000 s in all. That took the training loop 3.429 s (34.3 % of the time).',
  );
  expect(alike?.fix.title).toContain('those processes');
  // What does something else, or is not sampled, is another cause.
  for (const functions of [['draw'], []])
    expect(judgeBoth(functions)?.sentence).toContain('took the training loop 1.714 s (17.1 % of');
});
