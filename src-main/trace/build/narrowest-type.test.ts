import { expect, test } from 'vitest';
import { narrowestType, newSpread, spreadBy } from './narrowest-type.ts';

const number = { type: 'f64' } as const;

test.each([
  ['i16', [-1, 0, 2 ** 15 - 1]],
  ['i32', [-1, 2 ** 15]],
  ['i32', [0, 2 ** 31 - 1]],
  ['u32', [0, 2 ** 31]],
  ['u32', [2 ** 32 - 1]],
  ['f64', [2 ** 32]],
  ['f64', [-1, 2 ** 31]],
  ['f64', [2 ** 53]],
  ['f64', [-(2 ** 31) - 1]],
  ['f64', [0.5]],
  ['f64', [-0.5]],
  ['f64', [-0]],
  ['f64', [Number.NaN]],
  ['f64', [0, Number.NEGATIVE_INFINITY]],
  ['i16', []],
] as const)('numbers are stored as %s where that tells all of %j', (type, values) => {
  expect(narrowestType(number, spreadBy(newSpread(), Float64Array.from(values)))).toBe(type);
});

test.each([
  ['i8', 'i32', [-1, 127]],
  ['i16', 'i32', [128]],
  ['i32', 'i32', [2 ** 15]],
  ['u8', 'u32', [255]],
  ['u16', 'u32', [256]],
  ['u32', 'u32', [2 ** 16]],
  ['u8', 'u8', [7]],
] as const)('%s is what a column of %s takes that has %j', (stored, type, values) => {
  expect(narrowestType({ type }, spreadBy(newSpread(), Int32Array.from(values)))).toBe(stored);
});

test('moments stay as they are, and rows behind the last are not looked at', () => {
  const spread = spreadBy(newSpread(), Float64Array.of(1, 2 ** 40), 1);
  expect(narrowestType({ ...number, isMoment: true }, spread)).toBe('f64');
  expect(narrowestType(number, spread)).toBe('i16');
});

test('what comes part by part is what it is at once', () => {
  const spread = spreadBy(newSpread(), Float64Array.of(3_000_000_000));
  expect(narrowestType(number, spread)).toBe('u32');
  expect(narrowestType(number, spreadBy(spread, Float64Array.of(-1)))).toBe('f64');
});
