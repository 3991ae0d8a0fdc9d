import { expect, test } from 'vitest';
import type { WaitChain } from '../../shared/answers/wait-chain.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { functionsRun } from './functions-run.ts';
import { lineOf } from './own-activity.ts';

function python(symbol: string, line: number): Frame {
  return { symbol, file: '/home/u/plot.py', line, language: 'python' };
}
const native: Frame = { symbol: 'memcpy', file: '/lib/libc.so.6', language: 'native' };
const plot = python('plot_labels', 110);
const comprehension = python('plot_labels.<locals>.<listcomp>', 115);
const draw = (line: number) => python('Annotator.draw_line', line);

/** Leaf first. */
const stacks: readonly (readonly Frame[])[] = [
  [native, draw(86), comprehension, plot],
  [draw(88), draw(86), comprehension, plot],
  [comprehension, plot],
];

/** Samples of thread 0, one each 10 ns, by the stack of each; -1 = without one. */
function traceOf(...seen: readonly number[]) {
  const cpu_sample = seen.map((stack, at) => ({ startNs: at * 10, thread: 0, stack }));
  return buildTrace({ threads: [{}, {}], rows: { cpu_sample }, stacks });
}

const ran = (thread: number, startNs: number, endNs: number, state = 'running') => ({
  ...{ thread: { thread }, startNs, endNs, state },
});
const chainOf = (...segments: object[]) => ({ segments }) as unknown as Pick<WaitChain, 'segments'>;
const namesOf = (seen: readonly number[], ...segments: object[]) =>
  functionsRun(traceOf(...seen), chainOf(...segments)).map(({ functions }) =>
    functions.map(({ name }) => name),
  );

test('are those that at least half of the samples of a thread go through', () => {
  const all = ran(0, 0, 100);
  expect(functionsRun(traceOf(0, 1, 2), chainOf(all))).toEqual([
    {
      thread: 0,
      functions: [
        { name: 'Annotator.draw_line', file: 'plot.py' },
        { name: 'plot_labels', file: 'plot.py' },
      ],
    },
  ]);
  expect(namesOf([2, 0, 2], all)).toEqual([['plot_labels']]);
  // One without a stack may have been anywhere.
  expect(namesOf([1, -1, -1], all)).toEqual([]);
});

test('are those of the time in which the thread ran in the chain', () => {
  expect(namesOf([2, 2, 0, 2], ran(0, 20, 30), ran(0, 30, 40, 'runnable'))).toEqual([
    ['Annotator.draw_line', 'plot_labels'],
  ]);
  expect(namesOf([0, 0], ran(1, 0, 20))).toEqual([]);
});

test('nothing is said of a trace without samples', () => {
  expect(functionsRun(buildTrace({ threads: [{}] }), chainOf(ran(0, 0, 10)))).toEqual([]);
});

test('the line of a sample in a comprehension is told of the function that it is written in', () => {
  expect(lineOf(traceOf(2), 0)).toBe('plot_labels (plot.py:115)');
});
