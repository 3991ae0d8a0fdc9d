import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packRecords, unpackRecords } from './packed-records.ts';

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const texts = fc.oneof(
  fc.string(),
  fc.tuple(fc.constantFrom('tid ', 'off_cpu:', ''), fc.nat()).map(([word, n]) => `${word}${n}`),
  fc.constantFrom('007', '-0', '1.5', '9'.repeat(40), 'tid 00', '0', '٣'),
);
const values = fc.oneof(
  texts,
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.record({ startNs: fc.nat(), endNs: fc.nat() }),
  fc.array(fc.nat(), { maxLength: 3 }),
);
const records = fc.array(
  fc.dictionary(fc.constantFrom('id', 'label', 'thread', 'gaps', 'table'), values),
  { maxLength: 60 },
);

test('any records come back as JSON would bring them', () => {
  fc.assert(
    fc.property(records, (given) => {
      expect(unpackRecords(sent(packRecords(given)) as never)).toEqual(sent(given));
    }),
  );
});

test('a key without a value is absent', () => {
  const [first] = unpackRecords(packRecords([{ id: 'a', pid: undefined }]));
  expect(Object.keys(first as object)).toEqual(['id']);
});

test('records that go on in even steps take no room', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => ({
    ...{ id: `off_cpu:${at}`, label: 'State', detail: `tid ${1000 + at}`, thread: at },
    ...(at % 2 === 0 && { pid: 7 }),
  }));
  const without = many.map(({ pid: _, ...record }: { pid?: number }) => record);
  expect(JSON.stringify(packRecords(without)).length).toBeLessThan(1_000);
  expect(JSON.stringify(packRecords(many)).length).toBeLessThan(1_000_000);
});
