import { describe, expect, test } from 'vitest';
import { NONE } from '../../shared/model/schema.ts';
import { type Frame, frameAt } from '../../shared/model/stacks.ts';
import { StackBuilder } from '../../trace/build/stacks.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { hotLines } from './hot-lines.ts';
import { loaderStacks, loaderStages } from './loader-stacks.ts';

const python = (symbol: string, file: string, line: number): Frame => ({
  symbol,
  file,
  line,
  language: 'python',
});
const UTILS = '/opt/venv/lib/python3.12/site-packages/torch/utils/data/_utils';
const fetch = python('_MapDatasetFetcher.fetch', `${UTILS}/fetch.py`, 58);
const comprehension = python(
  '_MapDatasetFetcher.fetch.<locals>.<listcomp>',
  `${UTILS}/fetch.py`,
  58,
);
const loop = python('_worker_loop', `${UTILS}/worker.py`, 302);
const inherited = python('main', '/home/user/train.py', 99);
const item = python('Rows.__getitem__', '/home/user/data.py', 12);
const decode = python('decode', '/home/user/data.py', 30);
const memcpy: Frame = { symbol: 'memcpy', language: 'native' };

const stacks: readonly (readonly Frame[])[] = [
  [memcpy, decode, item, comprehension, fetch, loop, inherited],
  [memcpy, python('collate', `${UTILS}/collate.py`, 120), fetch, loop, inherited],
  [python('pad', '/home/user/data.py', 50), fetch, loop, inherited],
  [python('Queue.get', '/usr/lib/python3.12/multiprocessing/queues.py', 113), loop, inherited],
  [memcpy],
  [python('main', '/home/user/train.py', 99)],
];

function loaderStacksOf(given: readonly (readonly Frame[])[]) {
  const builder = new StackBuilder();
  const rows = given.map((frames) => builder.add(frames));
  const built = builder.build();
  const { stage, entry } = loaderStacks({ stacks: built });
  return rows.map((row) => ({
    stage: loaderStages[stage[row]],
    entry: entry[row] === NONE ? undefined : frameAt(built, built.frame[entry[row]]),
  }));
}

test('a stack says what part of the loader it is in', () => {
  const found = loaderStacksOf(stacks);
  expect(found.map(({ stage }) => stage)).toEqual([
    'item',
    'default-collate',
    'collate',
    'loader',
    'unknown',
    'elsewhere',
  ]);
  expect(found.map(({ entry }) => entry?.symbol)).toEqual([
    'Rows.__getitem__',
    'collate',
    'pad',
    undefined,
    undefined,
    undefined,
  ]);
});

test('Python 3.12 has no frame of its own for a list comprehension', () => {
  expect(loaderStacksOf([[item, fetch, loop]])).toEqual([{ stage: 'item', entry: item }]);
});

test('of loaders inside each other, the innermost is the one that is asked', () => {
  const inner = python('Inner.__getitem__', '/home/user/data.py', 70);
  const outer = [item, comprehension, fetch, loop];
  const stacks = [
    [memcpy, inner, fetch, ...outer],
    [memcpy, loop, ...outer],
    [decode, ...outer],
  ];
  expect(loaderStacksOf(stacks)).toEqual([
    { stage: 'item', entry: inner },
    { stage: 'loader', entry: undefined },
    { stage: 'item', entry: item },
  ]);
});

describe('hot lines', () => {
  const trace = buildTrace({
    threads: [{}, {}],
    stacks,
    rows: {
      cpu_sample: [0, 0, 0, 1, 2, 3, 4, 0].map((stack, at) => ({
        startNs: at * 10,
        thread: at === 7 ? 1 : 0,
        stack,
      })),
      off_cpu: [
        { startNs: 5, durationNs: 30, thread: 0, stack: 0 },
        { startNs: 40, durationNs: 100, thread: 0, stack: 3 },
      ],
    },
  });

  test('lead with what the loader called, then own code, then libraries', () => {
    const lines = hotLines(trace, [0], [0, 70]).filter(({ offCpuNs }) => offCpuNs === undefined);
    expect(lines.map(({ function: name, line, samples }) => [name, line, samples])).toEqual([
      ['Rows.__getitem__', 12, 3],
      ['collate', 120, 1],
      ['pad', 50, 1],
      ['decode', 30, 3],
      ['Queue.get', 113, 1],
      ['memcpy', 0, 1],
    ]);
    expect(lines[0]?.share).toBeCloseTo(3 / 7);
  });

  test('hold nothing of what a worker inherited of the stack it was forked in', () => {
    const lines = hotLines(trace, [0, 1], [0, 100]);
    expect(lines.filter(({ function: name }) => name === 'main')).toEqual([]);
  });

  test('count time off the CPU inside the span, and not the wait for an index', () => {
    const lines = hotLines(trace, [0], [10, 70]).filter(({ offCpuNs }) => offCpuNs !== undefined);
    expect(lines.map(({ function: name, offCpuNs, share }) => [name, offCpuNs, share])).toEqual([
      ['Rows.__getitem__', 25, 1],
      ['decode', 25, 1],
    ]);
  });

  test('are none where nothing was sampled', () => {
    expect(hotLines(trace, [0], [500, 600])).toEqual([]);
  });
});
