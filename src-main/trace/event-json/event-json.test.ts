import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { baseTimeUs } from './base-time.ts';
import { numberAt } from './json-bytes.ts';
import { nsAfter } from './micros.ts';
import { TextTable } from './text-table.ts';

const bytesOf = (text: string) => Buffer.from(text);

describe('microseconds', () => {
  const ns = (text: string, baseUs = 0) => nsAfter(bytesOf(text), 0, text.length, baseUs);

  test('are exact where a float of the whole is not', () => {
    expect(ns('1712195495519695.789', 1_712_195_495_519_000)).toBe(695_789);
    expect(ns('1712195495519695.7896', 1_712_195_495_519_000)).toBe(695_790);
    expect(ns('"12.5"')).toBe(12_500);
    expect(ns('-3.25')).toBe(-3250);
    expect(ns('1.5e3')).toBe(1_500_000);
    expect(ns('.5')).toBe(500);
  });

  test.each(['', '""', 'inf', 'NaN', 'null', '[1]', '1.2.3', '1e999', '--1', '1'.repeat(80)])(
    '%j are none',
    (text) => {
      expect(ns(text)).toBeNaN();
    },
  );

  test('of any whole number of ns come back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (value) => {
        expect(ns(`${Math.floor(value / 1000)}.${String(value % 1000).padStart(3, '0')}`)).toBe(
          value,
        );
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});

test('numbers are what JSON.parse makes of them', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      (value) => {
        const text = JSON.stringify(value);
        expect(numberAt(bytesOf(text), 0, text.length)).toBe(JSON.parse(text));
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});

test('the base time is near the others, whatever one of them says', () => {
  const head = '"ts": 0, "ts": 1712195495519695.7, "ts":1712195495519698, "ts": 9999999999999999,';
  expect(baseTimeUs(bytesOf(head))).toBe(1_712_195_495_519_698);
  expect(baseTimeUs(bytesOf('{}'))).toBe(0);
});

describe('texts', () => {
  test('that are equal are one, and come back as they are', () => {
    const table = new TextTable();
    const add = (text: string) => table.numberOfText(text);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(table.texts[add(text)]).toBe(text);
        expect(add(text)).toBe(add(text));
      }),
      { numRuns: 3000, seed: 7 },
    );
    expect(new Set(table.texts).size).toBe(table.texts.length);
  });

  test('whose escapes are none stay as they stand', () => {
    const table = new TextTable();
    const bytes = bytesOf('C:\\Users\\x');
    expect(table.texts[table.numberOf(bytes, 0, bytes.length)]).toBe('C:\\Users\\x');
  });

  test('are many without being mixed up', () => {
    const table = new TextTable();
    const numbers = Array.from({ length: 5000 }, (_, at) => table.numberOfText(`name ${at}`));
    expect(numbers.map((number) => table.texts[number])).toEqual(
      numbers.map((_, at) => `name ${at}`),
    );
  });
});
