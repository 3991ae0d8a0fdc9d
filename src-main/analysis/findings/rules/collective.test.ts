import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { collective } from './collective.ts';

test('names the rank that comes last and what it waits for', () => {
  const judgement = collective.judge(exampleFacts('collective'));
  expect(judgement?.sentence).toContain('waiting for rank 1 · pid 200');
  expect(judgement?.evidence[1].text).toContain('40.0 % of its time went to waiting for input');
});

test('names nobody where the other ranks wait as long, or are not recorded', () => {
  const example = exampleFacts('collective');
  const equal = example.siblings.map((one) => ({ ...one, split: example.split }));
  const judged = collective.judge({ ...example, siblings: equal });
  expect(judged?.sentence).toContain('another rank or the network');
  expect(judged?.confidence).toBe('possible');
  expect(collective.judge({ ...example, siblings: [] })?.evidence[1].text).toContain(
    'not in this trace',
  );
});

test('names where the job’s own code calls most of them', () => {
  const average = [
    {
      symbol: 'all_reduce',
      file: '/opt/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py',
      line: 1,
      language: 'python',
    },
    { symbol: 'average_gradients', file: '/home/user/train.py', line: 30, language: 'python' },
  ] as const;
  const cpu_sample = Array.from({ length: 10 }, (_, at) => ({
    ...{ startNs: at * 0.5 * SECOND, thread: 0, stack: 0 },
  }));
  const { trace } = buildFacts({ trace: { stacks: [[...average]], rows: { cpu_sample } } });
  const judgement = collective.judge({ ...exampleFacts('collective'), trace });
  expect(judgement?.culprit).toBe('average_gradients');
  expect(judgement?.sentence).toContain('most of them called in average_gradients (train.py:30)');
  expect(judgement?.fix.text).not.toContain('objects');
});

test('what its function does around them may go with them', () => {
  const hostTime = {
    startsNs: Float64Array.of(0.8 * SECOND),
    endsNs: Float64Array.of(2.8 * SECOND),
  };
  const trace = sampled({ gathering: 40, packing: 40 }, 0);
  const judgement = collective.judge(exampleFacts('collective', { trace, hostTime }));
  expect(judgement?.fix.text).toContain('exchange Python objects, called in gather_metrics');
  expect(judgement?.gain).toEqual({ reach: 'own', moreNs: 2 * SECOND });
  expect(judgement?.evidence.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Around them gather_metrics took 2.000 s more'),
  );
});

test('says that a batch is waited for where the loader exchanges it, and that the wait for a late rank may go too', () => {
  const trace = sampled({ dispatching: 40 }, 0);
  const plain = exampleFacts('collective', { trace });
  const late = cell('collective', 'main', 'last-rank', SECOND);
  const judgement = collective.judge({ ...plain, costs: [...plain.costs, late] });
  expect(judgement?.culprit).toBe('DataLoaderDispatcher.broadcast_batch');
  expect(judgement?.sentence).toContain('the rank waits there for its batch');
  expect(judgement?.sentence).not.toContain('no lack of input');
  expect(judgement?.fix.title).toBe('Let each rank read its own share of the data');
  expect(judgement?.gain).toEqual({ reach: 'own', moreNs: SECOND });
});

test('a little waiting for each other is part of the work', () => {
  const facts = buildFacts({ costs: [cell('collective', 'main', 'device', 0.5 * SECOND)] });
  expect(collective.judge(facts)).toBeUndefined();
});
