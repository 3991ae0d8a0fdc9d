import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdMap } from './id-map.ts';

/** Small ids, some close together further up, and any. */
const id = fc.oneof(
  fc.nat(40),
  fc.integer({ min: 4000, max: 40_000 }),
  fc.nat(Number.MAX_SAFE_INTEGER),
);

test('an id leads to the position it was given last, whatever the ids are', () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), fc.array(id), (ids, others) => {
      const expected = new Map(ids.map((each, position) => [each, position]));
      const grown = new IdMap();
      for (const [position, each] of ids.entries()) grown.set(each, position);
      const whole = IdMap.of(ids);
      for (const each of [...ids, ...others]) {
        const position = expected.get(each) ?? -1;
        expect([grown.positionOf(each), whole.positionOf(each)]).toEqual([position, position]);
      }
    }),
  );
});

test('an id that was sparse is found once many are there', () => {
  const map = new IdMap();
  map.set(9000, 0);
  for (let each = 0; each < 5000; each++) map.set(each, each + 1);
  expect([map.positionOf(9000), map.positionOf(4999), map.positionOf(9001)]).toEqual([0, 5000, -1]);
});

test('what is no id is nobody’s', () => {
  const map = IdMap.of([3, -1, 5]);
  expect([-1, 1, Number.NaN, 5].map((each) => map.positionOf(each))).toEqual([-1, -1, -1, 2]);
});
