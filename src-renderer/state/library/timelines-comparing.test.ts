import { beforeEach, expect, test } from 'vitest';
import type { RunBegins, StepSeriesPair } from '../../../src-main/shared/answers/comparison.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import { TimelinesComparing } from './timelines-comparing.svelte.ts';

const summary = fakeSummary({}, {});
const PAIR = { first: 1, second: 2 } as const;
const steps: StepSeriesPair = {
  first: {
    before: 1,
    groupSize: 1,
    startsNs: [100, 200, 300],
    durationsNs: [90, 90, 90],
    parts: {},
  },
  second: { before: 4, groupSize: 1, startsNs: [40, 90], durationsNs: [50, 50], parts: {} },
  labels: {},
};
const begins: RunBegins = { first: { firstCallNs: 70 }, second: { firstCallNs: 20 } };
let fake: FakeApi;
let timelines: TimelinesComparing;
const closed = () =>
  fake.asked.filter(({ name }) => name === 'trace.close').map(({ args }) => args);

beforeEach(() => {
  fake = new FakeApi()
    .answer('trace.open', ({ id }) =>
      ok({ traceId: `trace ${id}`, investigation: fakeInvestigation({ id }), summary }),
    )
    .answer('trace.diagnose', () => ok({ ranks: [] } as never));
  timelines = new TimelinesComparing(fake.api);
});

test('a step of each stands in line; the next pair does after a press', async () => {
  await timelines.load(PAIR, { steps, begins });
  expect(timelines.runs?.map(({ which }) => which)).toEqual(['first', 'second']);
  const starts = () =>
    timelines.runs?.map(({ timeline: { viewport } }) => viewport.window.startNs) ?? [];
  const [first = 0, second = 0] = starts();
  expect(first - second).toBe(100 - 40);
  expect([timelines.numberOf('first'), timelines.numberOf('second')]).toEqual([2, 5]);
  timelines.align(5);
  expect([timelines.canStep(-1), timelines.canStep(1)]).toEqual([true, false]);
  const [later = 0, other = 0] = starts();
  expect(later - other).toBe(200 - 90);
  expect([timelines.numberOf('first'), timelines.numberOf('second')]).toEqual([3, 6]);
});

test('without steps the first CUDA calls stand in line; with steps they can, too', async () => {
  const starts = () =>
    timelines.runs?.map(({ timeline: { viewport } }) => viewport.window.startNs) ?? [];
  await timelines.load(PAIR, { steps: undefined, begins });
  expect(timelines.by).toBe('first-call');
  expect([timelines.canStep(-1), timelines.canStep(1)]).toEqual([false, false]);
  const [first = 0, second = 0] = starts();
  expect(first - second).toBe(70 - 20);
  await timelines.load(PAIR, { steps, begins });
  expect(timelines.by).toBe('step');
  timelines.alignFirstCalls();
  const [early = 0, other = 0] = starts();
  expect(early - other).toBe(70 - 20);
  timelines.align(0);
  expect(timelines.by).toBe('step');
});

test('both are closed when they are left', async () => {
  await timelines.load(PAIR, { steps, begins });
  timelines.forget();
  expect(timelines.runs).toBeUndefined();
  expect(closed()).toEqual([{ traceId: 'trace 1' }, { traceId: 'trace 2' }]);
});

test('where one cannot be opened that is said, and the other is closed', async () => {
  const opens = { 1: ok, 2: () => fail('file-missing', 'It is not there any more.') } as const;
  fake.answer('trace.open', ({ id }) =>
    opens[id as 1 | 2]({
      traceId: `trace ${id}`,
      investigation: fakeInvestigation({ id }),
      summary,
    }),
  );
  await timelines.load(PAIR, { steps, begins });
  expect(timelines.failure?.message).toBe('It is not there any more.');
  expect(timelines.task).toBeUndefined();
  expect(closed()).toEqual([{ traceId: 'trace 1' }]);
});

test('what is still on its way when it is left is closed as it comes', async () => {
  const loading = timelines.load(PAIR, { steps, begins });
  timelines.forget();
  await loading;
  expect(timelines.runs).toBeUndefined();
  expect(closed()).toEqual([{ traceId: 'trace 1' }]);
});

test('of long runs the same step is in line, whatever a value is the mean of', async () => {
  const first = { ...steps.first, groupSize: 2 };
  await timelines.load(PAIR, { steps: { ...steps, first }, begins });
  timelines.step(1);
  // The third compared step: the second value of the first run would be the third of the second, which has only two.
  expect(timelines.canStep(1)).toBe(false);
  const second = { ...steps.second, startsNs: [40, 90, 140, 190], durationsNs: [50, 50, 50, 50] };
  await timelines.load(PAIR, { steps: { ...steps, first, second }, begins });
  timelines.step(1);
  expect([timelines.numberOf('first'), timelines.numberOf('second')]).toEqual([4, 7]);
});
