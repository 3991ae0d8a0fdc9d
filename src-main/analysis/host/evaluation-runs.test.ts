import { describe, expect, test } from 'vitest';
import type { Frame } from '../../shared/model/stacks.ts';
import {
  COPY,
  call,
  LAUNCH,
  loopTrace,
  MAIN,
  MS,
  oneStep,
  SYNC,
} from '../steps/testing/loop-trace.ts';
import { evaluationRuns } from './evaluation-runs.ts';
import { KIND, loopKinds } from './stack-kinds.ts';

const frame = (symbol: string, language: Frame['language'] = 'python'): Frame => ({
  ...{ symbol, file: '/home/u/train.py', line: 50, language },
});
const loop = frame('fit');
const [TRAIN, VALIDATE, ACCURACY, NATIVE] = [0, 1, 2, 3];
const stacks = [
  [frame('forward'), loop],
  [frame('forward'), frame('validate'), loop],
  [frame('check_accuracy'), loop],
  [frame('launch', 'native')],
];

/** 20 steps of 10 ms, of which `isOf` says whether they are of `stack`: all calls but launches have one. */
function runsOf(stack: number, isOf: (step: number) => boolean, withModel = true) {
  const cuda_call = Array.from({ length: 20 }, (_, step) => {
    const own = isOf(step) ? stack : TRAIN;
    const at = step * 10 * MS;
    const calls = oneStep(at).map((one) => ({ ...one, stack: one.op === LAUNCH ? NATIVE : own }));
    return isOf(step) && !withModel ? [call(SYNC, at, 5 * MS, { stack: own })] : calls;
  }).flat();
  const trace = loopTrace({ cuda_call }, { stacks });
  const { spans, rows } = evaluationRuns(
    trace,
    { mainThread: MAIN },
    { window: [0, 200 * MS], count: 20 },
  );
  const lengths = Array.from(spans.startsNs, (ns, at) => [ns / MS, spans.endsNs[at] / MS]);
  return { lengths, calls: rows.length };
}

const everyTenth = (step: number) => step % 10 >= 8;

describe('the calls of a function that evaluates', () => {
  test('are a run from the first to the last, with those between that have no Python', () => {
    expect(runsOf(VALIDATE, everyTenth)).toEqual({
      lengths: [
        [80, 95],
        [180, 195],
      ],
      calls: 16,
    });
  });

  test('are a part of training where most steps have them', () => {
    expect(runsOf(VALIDATE, (step) => step % 3 > 0).lengths).toHaveLength(7);
    const inEach = (step: number) => step % 2 === 0;
    expect(runsOf(VALIDATE, inEach).lengths).toHaveLength(10);
    const trace = loopTrace({ cuda_call: [call(COPY, 0, MS, { stack: VALIDATE })] }, { stacks });
    const of = (count: number) =>
      evaluationRuns(trace, { mainThread: MAIN }, { window: [0, MS], count }).rows.length;
    expect([of(1), of(2)]).toEqual([0, 1]);
  });

  test('are the loop itself where it makes all of them, and not where anything else makes some', () => {
    expect(runsOf(VALIDATE, () => true)).toEqual({ lengths: [], calls: 0 });
    expect(runsOf(ACCURACY, () => true)).toEqual({ lengths: [], calls: 0 });
    expect(runsOf(VALIDATE, (step) => step !== 10).lengths).toHaveLength(2);
    // Nor where it makes all copies to the GPU, and others wait for what that computes.
    const calls = (step: number) => [
      call(COPY, step * 10 * MS, MS, { stack: VALIDATE }),
      call(SYNC, (step * 10 + 5) * MS, MS, { stack: TRAIN }),
    ];
    const cuda_call = Array.from({ length: 20 }, (_, step) => calls(step)).flat();
    const trace = loopTrace({ cuda_call }, { stacks });
    const [row = -1] = trace.tables.cuda_call.columns.stack ?? [];
    expect(loopKinds(trace, MAIN, [0, 200 * MS]).named[row]).toBe(KIND.evaluation);
  });

  test('that is called like figures count where it runs a model on batches', () => {
    expect(runsOf(ACCURACY, everyTenth).lengths).toHaveLength(2);
    expect(runsOf(ACCURACY, everyTenth, false).lengths).toEqual([]);
  });

  test('are none where nothing is called so', () => {
    expect(runsOf(TRAIN, everyTenth)).toEqual({ lengths: [], calls: 0 });
  });
});
