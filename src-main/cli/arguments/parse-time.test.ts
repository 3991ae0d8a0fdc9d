import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTime } from './parse-time.ts';

test.each([
  ['0s', 0],
  ['17ns', 17],
  ['12.5s', 12_500_000_000],
  [' 300 ms ', 300_000_000],
  ['1.000000001s', 1_000_000_001],
  ['2.5µs', 2_500],
  ['2.5us', 2_500],
  ['1.5min', 90_000_000_000],
  ['2h', 7_200_000_000_000],
])('%j is %d ns', (text, ns) => expect(parseTime(text)).toBe(ns));

test.each([
  '',
  's',
  '12',
  '-1s',
  '+1s',
  '1e3s',
  '1.s',
  '.5s',
  '1 fortnight',
  '99999h',
  '1s 2s',
  '1toString',
])('%j is no time', (text) => expect(parseTime(text)).toBeUndefined());

test('any number of ns that a trace can have, written in seconds, is that number', () => {
  const moments = fc.integer({ min: 0, max: 2 ** 52 });
  fc.assert(
    fc.property(moments, (ns) => {
      const seconds = `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}s`;
      return parseTime(seconds) === ns && parseTime(`${ns}ns`) === ns;
    }),
  );
});
