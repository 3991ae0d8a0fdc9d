import { describe, expect, test } from 'vitest';
import { AUTOGRAD, loopNames, loopRank, loopTrace, MAIN, MS } from '../steps/testing/loop-trace.ts';
import type { Row } from '../testing/build-trace.ts';
import { namedSteps } from './named-steps.ts';

/** `[name, begin ms, length ms, thread]`. */
type Range = readonly [name: string, startMs: number, ms: number, thread?: number];

/** The steps that ranges of the loop name, `[begin, end]` in ms; undefined where they name none. */
function stepsOf(ranges: readonly Range[]): (readonly [number, number])[] | undefined {
  const names = [...loopNames, ...ranges.map(([name]) => ['NVTX', name] as const)];
  const range = ranges.map(
    ([, startMs, ms, thread = MAIN], at): Row<'range'> => ({
      startNs: startMs * MS,
      durationNs: ms * MS,
      thread,
      op: loopNames.length + at,
      category: 5,
    }),
  );
  const found = namedSteps(loopTrace({ range }, { names }), loopRank());
  return found && Array.from(found.startsNs, (ns, at) => [ns / MS, found.endsNs[at] / MS] as const);
}

/** Five ranges of 8 ms, one every 10 ms. */
const five = (name: (at: number) => string, thread = MAIN): Range[] =>
  Array.from({ length: 5 }, (_, at) => [name(at + 1), at * 10, 8, thread] as const);

describe('names of steps', () => {
  test.each([
    'Warm-up Step 1',
    'Step 1',
    'step_1',
    'train_step',
    'Iteration 1',
    'ProfilerStep#1',
    'Epoch 0 / iter 1',
    'benchmark_iter_1',
  ])('%s', (first) => {
    const steps = stepsOf(five((at) => first.replace(/1$/, String(at))));
    expect(steps).toHaveLength(5);
    expect(steps?.[4]).toEqual([40, 48]);
  });

  test.each([
    'Optimizer.step#SGD.step',
    'Optimizer step 1',
    'Forward 1',
    'load_step_1',
    'footstep 1',
  ])('not %s', (first) =>
    expect(stepsOf(five((at) => first.replace(/1$/, String(at))))).toBeUndefined(),
  );
});

test('the ranges around and in the steps are none', () => {
  const steps = stepsOf([
    ['Run Benchmark 1', 0, 100],
    ...five((at) => `Warm-up Step ${at}`).flatMap((step): Range[] => [
      step,
      [`Micro step ${step[1] / 5 + 1}`, step[1] + 1, 3],
      [`step ${step[1] / 5 + 2}`, step[1] + 5, 3],
    ]),
  ]);
  expect(steps).toEqual([0, 10, 20, 30, 40].map((ms) => [ms, ms + 8]));
});

test('short ranges with long times between them are parts, unless nothing stands before their word', () => {
  const short = (name: string) =>
    stepsOf(five((at) => `${name} ${at}`).map(([own, ms]): Range => [own, ms, 2]));
  expect(short('Decay step')).toBeUndefined();
  expect(short('Step')).toHaveLength(5);
});

test('ranges of the main thread go before those of others; fewer than three name no steps', () => {
  const elsewhere = five((at) => `batch ${at}`, AUTOGRAD).map(
    ([name, ms, long]): Range => [name, ms + 3, long, AUTOGRAD],
  );
  const own = five((at) => `Warm-up Step ${at}`);
  const byStart = [...own, ...elsewhere].sort((a, b) => a[1] - b[1]);
  expect(stepsOf(byStart)?.[0]).toEqual([0, 8]);
  expect(stepsOf(elsewhere)?.[0]).toEqual([3, 11]);
  expect(stepsOf(own.slice(0, 2))).toBeUndefined();
});
