import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { worstStretch } from './focus-stretch.ts';

const step = (index: number, startNs: number, endNs: number) => ({ index, startNs, endNs });
const ranks = [
  { rank: { mainThread: 4 }, steps: { steps: [step(0, 0, 10), step(1, 10, 40), step(2, 40, 50)] } },
];
const empty = { ranks, findings: [], chains: [], lead: 0 };
const of = (diagnosis: object) => worstStretch(diagnosis as unknown as Diagnosis, 90);

test('is the costliest time that the main cause happened', () => {
  const finding = { id: 'x', title: 'Slow disk', rank: 0, costNs: 9, costShare: 0.5 };
  const occurrences = [
    { startNs: 1, endNs: 9, costNs: 2 },
    { startNs: 12, endNs: 15, costNs: 3 },
  ];
  const chain = { finding: 'x', rank: 0, occurrences, occurrenceCount: 7 };
  const known = { ...empty, findings: [finding], chains: [chain] };
  expect(of({ ...known, unexplained: 'Most has no known cause.' }).title).toBe(
    'Step 2, the longest',
  );
  expect(of(known)).toEqual({
    ...{
      title: 'The costliest of the 7 times that this happened',
      short: 'The costliest of 7 times',
      within: 'step 2',
      rank: 0,
      thread: 4,
      startNs: 12,
      endNs: 15,
      isWait: true,
      finding: 'x',
    },
  });
});

test('says of which of two causes it is', () => {
  const finding = { id: 'x', title: 'Slow disk', rank: 0, costNs: 9, costShare: 0.5 };
  const findings = [finding, { ...finding, id: 'y', costShare: 0.4 }];
  const occurrences = [{ startNs: 12, endNs: 15, costNs: 3 }];
  const title = (occurrenceCount: number) =>
    of({
      ...{ ...empty, findings },
      chains: [{ finding: 'x', rank: 0, occurrences, occurrenceCount }],
    }).title;
  expect(title(7)).toBe('The costliest of the 7 times that the first cause happened');
  expect(title(1)).toBe('When the first cause happened');
});

test('of a rank that is named: when it had the main cause, else its longest step', () => {
  const finding = { id: 'x', title: 'Slow disk', rank: 0, costNs: 9, costShare: 0.5 };
  const occurrences = [{ startNs: 12, endNs: 15, costNs: 3 }];
  const chain = { finding: 'x', rank: 0, occurrences, occurrenceCount: 1 };
  const other = { rank: { mainThread: 7 }, steps: { steps: [step(0, 5, 6), step(1, 6, 20)] } };
  const known = { ...empty, ranks: [...ranks, other], findings: [finding], chains: [chain] };
  const ofRank = (rank: number) => worstStretch(known as unknown as Diagnosis, 90, rank);
  expect(ofRank(0)).toMatchObject({ title: 'When this happened', thread: 4 });
  expect(ofRank(1)).toMatchObject({ title: 'Step 2, the longest', rank: 1, thread: 7, startNs: 6 });
});

test('without a cause the longest step, without steps all of the recording', () => {
  expect(of(empty)).toMatchObject({ title: 'Step 2, the longest', startNs: 10, endNs: 40 });
  expect(of({ ...empty, ranks: [] })).toEqual({
    ...{ title: 'The whole recording', rank: 0, thread: -1, startNs: 0, endNs: 90, isWait: false },
  });
});

test('one of the first steps is no picture of all, where the others cost as much', () => {
  const ten = Array.from({ length: 10 }, (_, at) =>
    step(at, at * 100, at * 100 + (at === 0 ? 90 : 30 + at)),
  );
  const rank = { rank: { mainThread: 4 }, steps: { count: 10, steps: ten } };
  expect(of({ ...empty, ranks: [rank] })).toMatchObject({
    title: 'Step 10, the longest after the first ones',
    startNs: 900,
  });

  const finding = { id: 'x', title: 'Slow disk', rank: 0, costNs: 9, costShare: 0.5 };
  const at = (startNs: number, costNs: number) => ({ startNs, endNs: startNs + costNs, costNs });
  const withTimes = (...occurrences: object[]) =>
    of({
      ...{ ...empty, ranks: [rank], findings: [finding] },
      chains: [{ finding: 'x', rank: 0, occurrences, occurrenceCount: occurrences.length }],
    });
  expect(withTimes(at(1, 9), at(500, 4), at(700, 6))).toMatchObject({
    title: 'The costliest of the 3 times that this happened, the first steps left out',
    short: 'The costliest of 3 times, the first steps left out',
    within: 'step 8',
    startNs: 700,
  });
  // What happens at the begin is shown there.
  expect(withTimes(at(1, 9), at(500, 4))).toMatchObject({
    title: 'The costliest of the 2 times that this happened',
    startNs: 1,
  });
  expect(withTimes(at(1, 2), at(500, 4)).short).toBe('The costliest of 2 times');
});

test('says of which steps it is a part, where they are known', () => {
  const finding = { id: 'x', title: 'Slow disk', rank: 0, costNs: 9, costShare: 0.5 };
  const within = (startNs: number, endNs: number) =>
    of({
      ...{ ...empty, findings: [finding] },
      chains: [
        {
          ...{ finding: 'x', rank: 0, occurrenceCount: 1 },
          occurrences: [{ startNs, endNs, costNs: 1 }],
        },
      ],
    }).within;
  expect(within(12, 15)).toBe('step 2');
  // Another one’s edge is no part of it.
  expect(within(10, 40.1)).toBe('step 2');
  expect(within(5, 20)).toBe('steps 1 and 2');
  expect(within(5, 45)).toBe('steps 1 to 3');
  expect(within(60, 70)).toBeUndefined();
});
