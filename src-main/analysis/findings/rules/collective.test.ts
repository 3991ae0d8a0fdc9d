import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
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
});

test('what its function does around them may go with them', () => {
  const stack = (...names: string[]) =>
    names.map((symbol) => ({
      ...{ symbol, file: '/home/user/train.py', line: 30, language: 'python' as const },
    }));
  const gather = {
    ...{ symbol: 'all_gather_object', line: 1, language: 'python' as const },
    file: '/opt/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py',
  };
  const stacks = [[gather, ...stack('gather_metrics')], stack('gather_metrics')];
  const cpu_sample = Array.from({ length: 20 }, (_, at) => ({
    ...{ startNs: at * 0.5 * SECOND, thread: 0, stack: at % 2 },
  }));
  const hostTime = {
    startsNs: Float64Array.from({ length: 10 }, (_, at) => (at + 0.4) * SECOND),
    endsNs: Float64Array.from({ length: 10 }, (_, at) => (at + 0.6) * SECOND),
  };
  const facts = exampleFacts('collective', { trace: { stacks, rows: { cpu_sample } }, hostTime });
  const judgement = collective.judge(facts);
  expect(judgement?.gain).toEqual({ reach: 'own', moreNs: 2 * SECOND });
  expect(judgement?.evidence.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('Around them gather_metrics took 2.000 s more'),
  );
});

test('a little waiting for each other is part of the work', () => {
  const facts = buildFacts({ costs: [cell('collective', 'main', 'device', 0.5 * SECOND)] });
  expect(collective.judge(facts)).toBeUndefined();
});
