import { expect, test } from 'vitest';
import type { Diagnosis } from './diagnosis.ts';
import { isTraining, type LoopKind, loopKindOf, someRankHasBatches } from './loop-kind.ts';

const trains: LoopKind = {};
const infers: LoopKind = { infers: true };
const serves: LoopKind = { serves: true };
const unknown: LoopKind = { loopUnknown: true };

const job = (...kinds: readonly LoopKind[]) =>
  ({ ranks: kinds.map((steps) => ({ steps })) }) as unknown as Diagnosis;

test('a loop trains where nothing else is known or doubted of it', () => {
  expect([trains, infers, serves, unknown].map(isTraining)).toEqual([true, false, false, false]);
});

test.each([
  ['no rank', job(), false, unknown],
  ['one that trains', job(trains), true, trains],
  ['one that runs its model over batches', job(infers), true, infers],
  ['one that serves', job(serves), false, serves],
  ['one of which it is not known', job(unknown), false, unknown],
  ['one that serves beside one that trains', job(serves, trains), true, trains],
  [
    'one that serves beside one that runs its model over batches',
    job(serves, infers),
    true,
    unknown,
  ],
  ['one that serves beside one of which it is not known', job(serves, unknown), false, unknown],
  ['two that serve', job(serves, serves), false, serves],
])('%s', (_, diagnosis, hasBatches, kind) => {
  expect(someRankHasBatches(diagnosis)).toBe(hasBatches);
  expect(loopKindOf(diagnosis)).toEqual(kind);
});
