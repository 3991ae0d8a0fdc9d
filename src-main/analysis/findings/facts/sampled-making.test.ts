import { expect, test } from 'vitest';
import { slowGetitem } from '../rules/slow-getitem.ts';
import { vectorCollate } from '../rules/vector-collate.ts';
import { cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled, stackNumber } from '../testing/sampled.ts';
import { isOnlySampled, sampledMaking } from './sampled-making.ts';

/** Jobs of which no switch is known for sure: only stacks that were read now and then tell what workers did. */

const looks = { kind: 'sampled', note: '', everyNs: 50 * MS } as const;

const [IN_ITEM, IN_LOOP] = [stackNumber('item'), stackNumber('waiting')];

interface Seen {
  readonly running?: Parameters<typeof sampled>[0];
  /** Waits of 100 ms each, with the stack of that number. */
  readonly asleep?: readonly { readonly stack: number; readonly count: number }[];
}

function job({ running = {}, asleep = [] }: Seen, changes: FactsPlan = {}): FactsPlan {
  const { stacks = [], rows } = sampled(running);
  const waits = asleep.flatMap(({ stack, count }) => Array.from({ length: count }, () => stack));
  return {
    workers: [{ batches: 0 }],
    costs: [cell('input', 'main', 'sleeping', 4 * SECOND)],
    trace: {
      stacks,
      rows: {
        ...rows,
        off_cpu: waits.map((stack, at) => ({
          startNs: at * 100 * MS,
          durationNs: 100 * MS,
          thread: 1,
          stack,
        })),
      },
      provenance: { cpu_sample: looks, off_cpu: looks },
    },
    ...changes,
  };
}

const slow = (seen: Seen, changes?: FactsPlan) =>
  slowGetitem.judge(exampleFacts('slow-getitem', job(seen, changes)));

test('time on a CPU and asleep is weighed by what a look and a wait stand for', () => {
  const seen = {
    running: { item: 40, defaultCollate: 10 },
    asleep: [{ stack: IN_ITEM, count: 5 }],
  };
  const making = sampledMaking(exampleFacts('slow-getitem', job(seen)));
  expect(making).toMatchObject({ looks: 55, ns: 3 * SECOND, everyNs: 50 * MS });
  expect(making?.runningNs.item).toBe(2 * SECOND);
  expect(making?.asleepNs.item).toBe(0.5 * SECOND);
});

test('the dataset is told with its figures, and never called proven', () => {
  const judgement = slow({ running: { item: 40, defaultCollate: 10 } });
  expect(judgement?.sentence).toBe(
    'Sampling each worker every 50.00 ms found the dataset’s own code for 80.0 % of the time that was seen, mostly on a CPU. The training loop waited 4.000 s for input meanwhile.',
  );
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.evidence.map(({ basis }) => basis)).toEqual(['inferred']);
});

test('the line is that of the state in which it was met most', () => {
  const line = { file: 'train.py', language: 'python', samples: 9 } as const;
  const hotLines = () => [
    { ...line, function: 'decode', line: 12, share: 0.9 },
    { ...line, function: 'fetch', line: 30, share: 0.9, offCpuNs: SECOND },
  ];
  expect(slow({ running: { item: 40 } }, { hotLines })?.sentence).toContain('in decode, line 12');
  expect(slow({ asleep: [{ stack: IN_ITEM, count: 40 }] }, { hotLines })?.sentence).toContain(
    'mostly asleep, in fetch, line 30',
  );
});

test('says nothing where workers wait for something to do, or too little was seen', () => {
  expect(slow({ running: { item: 30 }, asleep: [{ stack: IN_LOOP, count: 30 }] })).toBeUndefined();
  expect(slow({ running: { item: 20 } })).toBeUndefined();
  expect(slow({ running: { picking: 40 } })).toBeUndefined();
  const costs = [cell('compute', 'main', 'device', 9 * SECOND)];
  expect(slow({ running: { item: 40 } }, { costs })).toBeUndefined();
});

test('other kinds of work are told likewise, of the same wait', () => {
  const facts = exampleFacts('vector-collate', job({ running: { collate: 40, item: 10 } }));
  const judgement = vectorCollate.judge(facts);
  expect(judgement?.sentence).toContain('80.0 %');
  expect(judgement?.sentence).toContain('waited 4.000 s for input meanwhile');
  expect(judgement?.chain.host.basis).toBe('inferred');
  expect(facts.costs.filter(judgement?.claims ?? Boolean)).toHaveLength(1);
  const idle = { running: { collate: 40 }, asleep: [{ stack: IN_LOOP, count: 60 }] };
  expect(vectorCollate.judge(exampleFacts('vector-collate', job(idle)))).toBeUndefined();
});

test('where batches are known they speak, not looks', () => {
  expect(isOnlySampled(exampleFacts('slow-getitem'))).toBe(false);
  expect(sampledMaking(exampleFacts('slow-getitem'))).toBeUndefined();
});
