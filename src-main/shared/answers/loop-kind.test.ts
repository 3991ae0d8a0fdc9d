import { expect, test } from 'vitest';
import type { Diagnosis } from './diagnosis.ts';
import { everyRankServes, isTraining, type LoopKind, someRankTrains } from './loop-kind.ts';

const trains: LoopKind = {};
const serves: LoopKind = { serves: true };
const unknown: LoopKind = { loopUnknown: true };

const job = (...kinds: readonly LoopKind[]) =>
  ({ ranks: kinds.map((steps) => ({ steps })) }) as unknown as Diagnosis;

test('a loop trains where nothing else is known or doubted of it', () => {
  expect([trains, serves, unknown].map(isTraining)).toEqual([true, false, false]);
});

test.each([
  ['no rank', job(), false, false],
  ['one that trains', job(trains), true, false],
  ['one that serves', job(serves), false, true],
  ['one of which it is not known', job(unknown), false, false],
  ['one that serves beside one that trains', job(serves, trains), true, false],
  ['one that serves beside one of which it is not known', job(serves, unknown), false, false],
  ['two that serve', job(serves, serves), false, true],
])('%s', (_, diagnosis, some, every) => {
  expect([someRankTrains(diagnosis), everyRankServes(diagnosis)]).toEqual([some, every]);
});
