import { expect, test } from 'vitest';
import type { HotLine } from '../../../shared/answers/diagnosis.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sleepingDataset } from '../testing/input-examples.ts';
import { groupAtLimit } from '../testing/loop-examples.ts';
import { sampled, sampledThreads, stackNumber } from '../testing/sampled.ts';
import { slowGetitem } from './slow-getitem.ts';

const judge = (changes: FactsPlan = {}) => slowGetitem.judge(exampleFacts('slow-getitem', changes));

const sleepingLine: HotLine = {
  ...{ function: 'Rows.__getitem__', file: 'data.py', line: 54, language: 'python' },
  ...{ samples: 192, share: 0.99, offCpuNs: 9 * SECOND },
};

test('tells a worker that sleeps in the dataset, and claims that time alone', () => {
  const judgement = judge(sleepingDataset);
  expect(judgement?.sentence).toContain('400.0 ms for a batch and slept for 99.0 % of that');
  expect(judgement?.confidence).toBe('likely');
  const claimed = exampleFacts('slow-getitem', sleepingDataset).costs.filter(
    judgement?.claims ?? Boolean,
  );
  expect(claimed.map(({ cause }) => cause)).toEqual(['sleeping']);
  expect(judgement?.hotThreads).toBeUndefined();
});

test('says in which functions a worker sleeps, where the stacks of its waits tell', () => {
  const shown = sampled({});
  const wait = { durationNs: 95 * MS, thread: 1, state: 1, runQueueNs: 0, syscall: 230 };
  // Most often it waited for a moment elsewhere, and once it was ready all the time.
  const off_cpu = Array.from({ length: 100 }, (_, at) => [
    { ...wait, startNs: at * 100 * MS, stack: stackNumber('item') },
    { ...wait, startNs: at * 100 * MS + 96 * MS, durationNs: MS, stack: stackNumber('collate') },
    { ...wait, startNs: at * 100 * MS + 98 * MS, durationNs: MS, stack: stackNumber('collate') },
    {
      ...wait,
      startNs: at * 100 * MS + 99.5 * MS,
      durationNs: 1,
      state: 0,
      stack: stackNumber('pickling'),
    },
  ]).flat();
  const trace = { ...shown, rows: { off_cpu } };
  const judgement = judge({ ...sleepingDataset, trace, hotLines: () => [sleepingLine] });
  expect(judgement?.sentence).toContain(
    'Of its longest waits, 100 % were in Rows.__getitem__ (train.py:20) → decode (train.py:12).',
  );
});

test('a worker that waits for threads of its own is told by what these did', () => {
  const pool: FactsPlan = {
    workers: [
      { threads: [1, 2], cycles: { lock: 9 * SECOND, running: 0.1 * SECOND }, batches: 24 },
    ],
    costs: [
      cell('input', 'worker', 'lock', 9 * SECOND),
      cell('other', 'main', 'runnable-own', 3 * SECOND),
      cell('collective', 'main', 'runnable-own', SECOND),
    ],
    trace: sampledThreads([{ step: 40 }, 2]),
  };
  const judgement = judge(pool);
  expect(judgement?.culprit).toBe('reweight');
  expect(judgement?.sentence).toContain('waited for its own threads for 98.9 % of that');
  expect(judgement?.evidence[1]?.text).toContain('were in reweight (train.py:51)');
  expect(judgement?.sentence).toContain(
    'waited 12.00 s for that, 3.000 s of it because threads of the job had the CPUs.',
  );
  expect(judgement?.fix.text).toContain('Threads that run Python take turns at the interpreter');
  // A few samples may be chance.
  const chance = judge({ ...pool, trace: sampledThreads([{ step: 4 }, 2]) });
  expect(chance?.culprit).toBeUndefined();
  expect(chance?.sentence).toContain('and slept for');
});

test('so is one whose threads nobody saw, by its own sleep', () => {
  const pool = { cycles: { lock: 9 * SECOND, running: 0.1 * SECOND }, batches: 24 };
  const costs = [cell('input', 'worker', 'lock', 9 * SECOND)];
  const judgement = judge({ workers: [pool], costs, trace: {} });
  expect(judgement?.sentence).toContain('and slept for 98.9 % of that');
});

test('leaves out the samples in which the kernel made room for lack of memory', () => {
  const samples = { item: 15, makingRoom: 40, defaultCollate: 20 };
  const { names = [], rows = {} } = groupAtLimit();
  const found = sampled(samples);
  expect(judge({ trace: found })?.evidence[1]?.text).toContain('55 of 75 CPU samples');
  const limited = { ...found, names, rows: { ...rows, ...found.rows } };
  expect(judge({ trace: limited })).toBeUndefined();
  const enough = sampled({ ...samples, item: 40 });
  const text = judge({ trace: { ...enough, names, rows: { ...rows, ...enough.rows } } })
    ?.evidence[1]?.text;
  expect(text).toContain('40 of 60 CPU samples');
});

test('its fix stores what is the same each time, and leaves what is random where it is', () => {
  const { fix } = judge({ trace: sampled({ madeByItself: 40 }) }) ?? {};
  expect(fix?.title).toBe('Move Rows.rays_of out of __getitem__');
  expect(fix?.after).toContain('torch.save(your_rows.rays_of(each), ');
  expect(fix?.after).toContain('return your_rest_of_item(made, index)');
  expect(fix?.after).not.toContain('files');
});

test('its fix for what goes through its data once stores nothing', () => {
  const steps = { ...buildFacts().steps, infers: true as const };
  const { fix } = judge({ trace: sampled({ madeByItself: 40 }), steps }) ?? {};
  expect(fix?.title).toBe('Do Rows.rays_of for a whole batch at once');
  expect(fix?.after).toContain('def __getitems__(self, indices):');
  expect(fix?.after).not.toContain('torch.save');
});

test('its fix for a stream changes a whole batch at once', () => {
  const { fix } = judge({ trace: sampled({ streamed: 40 }) }) ?? {};
  expect(fix?.title).toBe('Do reweight once for a batch, not for each example');
  expect(fix?.after).toContain('class YourDataset(IterableDataset):');
  expect(fix?.after).not.toMatch(/__len__|index/);
});

test('is proven where off-CPU stacks show the line', () => {
  const judgement = judge({ ...sleepingDataset, hotLines: () => [sleepingLine] });
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.evidence[1]?.text).toBe('They slept in Rows.__getitem__, line 54');
  expect(judgement?.culprit).toBe('Rows.__getitem__');
  expect(judgement?.title).toBe(
    'The dataset takes long for each sample, in Rows.__getitem__ (data.py:54)',
  );
});

test('needs most samples in the dataset’s own code where there are samples', () => {
  expect(judge()?.evidence[1]?.text).toContain('40 of 45 CPU samples');
  // What its fix names is what its title blames.
  expect(judge()?.culprit).toBe('decode');
  expect(judge()?.title).toMatch(/, in decode \(.*:\d+\), called by Rows\.__getitem__$/);
  expect(judge()?.fix.title).toBe('Move decode out of __getitem__');
  expect(judge({ trace: sampled({ item: 15, defaultCollate: 30 }) })).toBeUndefined();
  expect(judge({ trace: sampled({ picking: 40 }) })).toBeUndefined();
});

test('is only possible without samples, and silent where the workers fault like copiers', () => {
  expect(judge({ trace: {} })?.confidence).toBe('possible');
  const states = { runningNs: 10 * SECOND, minorFaults: 2_500_000 };
  const workers = [{ states, cycles: { running: 10 * SECOND } }];
  expect(judge({ trace: {}, workers })).toBeUndefined();
});

test('is silent where a batch is made in a moment', () => {
  const workers = [{ cycles: { running: 50 * MS }, batches: 50 }];
  expect(judge({ workers })).toBeUndefined();
});

test('is silent where the worker waits for a disk or for a CPU', () => {
  expect(judge({ workers: [{ cycles: { disk: 8 * SECOND, running: SECOND } }] })).toBeUndefined();
  const costs = [cell('input', 'worker', 'runnable-own', 4 * SECOND)];
  expect(judge({ costs })).toBeUndefined();
});
