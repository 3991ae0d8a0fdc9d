import { beforeEach, expect, test } from 'vitest';
import type {
  ComparedFlames,
  ComparedRuns,
} from '../../../src-main/shared/contract/library-calls.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { InvestigationState } from '../investigation/investigation.svelte.ts';
import { FakeApi, fakeInvestigation } from '../testing/fake-api.ts';
import { Library } from './library.svelte.ts';
import { RunComparing } from './run-comparing.svelte.ts';

const run = (id: number, recordedAt: string, changes = {}) =>
  fakeInvestigation({ id, recordedAt: `2026-01-${recordedAt}T00:00:00.000Z`, ...changes });

let fake: FakeApi;
let comparing: RunComparing;
let library: Library;

async function begin(entries: ReturnType<typeof run>[]): Promise<void> {
  fake.answer('library.list', () => ok(entries));
  await library.load();
}

/** The pairs that were asked for. */
const asked = () =>
  fake.asked.filter(({ name }) => name === 'library.compare').map(({ args }) => args);

beforeEach(() => {
  fake = new FakeApi();
  const toasts = new Toasts();
  library = new Library(fake.api, toasts);
  comparing = new RunComparing(fake.api, library, new InvestigationState(fake.api, toasts));
});

test('of two that are picked the one recorded earlier is the first; swapped, the second', async () => {
  await begin([run(1, '02'), run(2, '01')]);
  comparing.show([run(1, '02'), run(2, '01')]);
  comparing.swap();
  expect(asked()).toEqual([
    { first: 2, second: 1 },
    { first: 1, second: 2 },
  ]);
});

test('without a choice: the last run, and the last other one of its machine', async () => {
  await begin([
    run(1, '09', { sample: true }),
    run(2, '05', { machine: 'a' }),
    run(3, '04', { machine: 'b' }),
    run(4, '03', { machine: 'a' }),
    run(5, '08', { machine: 'a', state: 'missing' }),
  ]);
  comparing.show();
  expect(asked()).toEqual([{ first: 4, second: 2 }]);
  expect(comparing.choices.map(({ id }) => id)).toEqual([2, 3, 4, 1]);
});

test('one that is picked: with the last other one of its machine, also where its file is gone', async () => {
  const gone = run(5, '08', { machine: 'a', state: 'missing' });
  await begin([
    run(2, '05', { machine: 'a' }),
    run(3, '04', { machine: 'b' }),
    run(4, '03', { machine: 'a' }),
    gone,
  ]);
  comparing.show([run(4, '03', { machine: 'a' })]);
  comparing.show([run(3, '04', { machine: 'b' })]);
  comparing.show([gone]);
  expect(asked()).toEqual([
    { first: 4, second: 2 },
    { first: 3, second: 2 },
    { first: 2, second: 5 },
  ]);
});

test('several are compared with the earliest, or with the one that is chosen', async () => {
  const runs = [run(1, '03'), run(2, '01'), run(3, '02')];
  await begin(runs);
  const series = {
    series: { sentence: 'None is faster.', runs: [] },
    ...{ leftOut: [], markdown: '' },
  };
  fake.answer('library.compareSeries', () => ok(series));
  comparing.show(runs);
  await expect.poll(() => comparing.series).toEqual(series);
  expect([comparing.firstOfSeveral, comparing.pair]).toEqual([2, undefined]);
  comparing.compareWith(1);
  expect(comparing.series).toBeUndefined();
  await expect.poll(() => comparing.series).toEqual(series);
  expect(comparing.several?.map(({ id }) => id)).toEqual([2, 3, 1]);
  const ids = fake.asked.flatMap(({ name, args }) =>
    name === 'library.compareSeries' ? [args] : [],
  );
  expect(ids).toEqual([{ ids: [2, 3, 1] }, { ids: [1, 2, 3] }]);
  comparing.show(runs, runs[2]);
  expect(comparing.firstOfSeveral).toBe(3);
  comparing.close();
  expect([comparing.several, comparing.isShown]).toEqual([undefined, false]);
});

test('of several that cannot be read the reason is told', async () => {
  fake.answer('library.compareSeries', () => fail('not-found', 'The run is gone.'));
  comparing.show([run(1, '03'), run(2, '01'), run(3, '02')]);
  await expect.poll(() => comparing.failure?.message).toBe('The run is gone.');
});

test('with one run there is nothing to ask', async () => {
  await begin([run(1, '01')]);
  comparing.show();
  expect([comparing.isShown, comparing.pair, asked()]).toEqual([true, undefined, []]);
});

test('a run with itself is not asked for', async () => {
  await begin([run(1, '01')]);
  await comparing.compare({ first: 1, second: 1 });
  expect(asked()).toEqual([]);
});

test('an answer that comes after another pair was chosen, or after the end, is dropped', async () => {
  await begin([run(1, '01'), run(2, '02')]);
  const answers: ((answer: Result<ComparedRuns>) => void)[] = [];
  fake.answer('library.compare', () => new Promise((resolve) => answers.push(resolve)));
  const first = comparing.compare({ first: 1, second: 2 });
  const second = comparing.compare({ first: 2, second: 1 });
  answers[0]?.(fail('file-missing', 'It is gone.'));
  await first;
  expect(comparing.failure).toBeUndefined();
  answers[1]?.(fail('file-missing', 'It is gone.'));
  await second;
  expect(comparing.failure?.message).toBe('It is gone.');
  const third = comparing.compare({ first: 1, second: 2 });
  comparing.close();
  answers[2]?.(fail('file-missing', 'It is gone.'));
  await third;
  expect([comparing.failure, comparing.isShown]).toEqual([undefined, false]);
});

test('the stacks of a pair go with it; the weight stays, as long as both runs have it', async () => {
  await begin([run(1, '01'), run(2, '02')]);
  const answers: ((answer: Result<ComparedFlames>) => void)[] = [];
  fake.answer('library.compareFlames', () => new Promise((resolve) => answers.push(resolve)));
  const pair = { first: 1, second: 2 };
  void comparing.compare(pair);
  const { flame } = comparing;
  expect(flame.weightOf(['cuda-time', 'cpu-samples'])).toBe('cpu-samples');
  const first = flame.load(pair, 'cuda-time');
  comparing.swap();
  answers[0]?.(fail('not-found', 'It has no stacks.'));
  await first;
  expect([flame.failure, flame.task]).toEqual([undefined, undefined]);
  expect(flame.weightOf(['cuda-time', 'cpu-samples'])).toBe('cuda-time');
  expect(flame.weightOf(['off-cpu-time'])).toBe('off-cpu-time');
  const second = flame.load({ first: 2, second: 1 }, 'off-cpu-time');
  answers[1]?.(fail('not-found', 'It has no stacks.'));
  await second;
  expect(flame.failure?.message).toBe('It has no stacks.');
  comparing.close();
  expect([flame.failure, flame.compared]).toEqual([undefined, undefined]);
});
