import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, shortenMiddle } from './text.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMoment,
  formatRate,
  formatShare,
  plural,
} from './units.ts';

describe('units', () => {
  test.each([
    [0, '0 ns'],
    [999, '999 ns'],
    [1000, '1.000 µs'],
    [999_960, '1.000 ms'],
    [65_000_369, '65.00 ms'],
    [94_626_000_000, '94.63 s'],
    [123_456_000_000_000, '123456 s'],
    [9_999_700_000_000, '10000 s'],
    [9_999_960, '10.00 ms'],
    [Number.NaN, '–'],
  ])('duration %d', (ns, text) => expect(formatDuration(ns)).toBe(text));

  test('a moment is exact to the ns', () => {
    expect(formatMoment(12_345_678_901)).toBe('+12.345\u202f678\u202f901 s');
    expect(formatMoment(-1)).toBe('−0.000\u202f000\u202f001 s');
  });

  test('sizes are binary, rates decimal', () => {
    expect(formatBytes(40)).toBe('40 B');
    expect(formatBytes(419_430_400)).toBe('400.0 MiB');
    expect(formatRate(419_430_400, 65_000_369)).toBe('6.453 GB/s');
    expect(formatRate(1, 0)).toBe('–');
    expect(formatRate(35_000_000, 1e9)).toBe('35.00 MB/s');
    expect(formatRate(7, 1e10)).toBe('0.7000 B/s');
  });

  test('no number has an exponent', () => {
    const number = fc.double({ min: 0, max: 1e200, noNaN: true });
    fc.assert(
      fc.property(number, fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (value, ns) => {
        const texts = [formatDuration(value), formatBytes(value), formatRate(value, ns)];
        expect(texts.join('; ')).not.toMatch(/\de|Infinity/);
      }),
    );
  });

  test('a share never rounds to a false nothing or a false all', () => {
    expect(formatShare(1, 1_000_000)).toBe('<0.1 %');
    expect(formatShare(999_999, 1_000_000)).toBe('>99.9 %');
    expect(formatShare(1, 8)).toBe('12.5 %');
    expect(formatShare(0, 8)).toBe('0 %');
    expect(formatShare(8, 8)).toBe('100 %');
    expect(formatShare(1, 0)).toBe('–');
  });

  test('counts', () => {
    expect(formatCount(191_835)).toBe('191,835');
    expect(plural(1, 'copy', 'copies')).toBe('1 copy');
    expect(plural(14, 'copy', 'copies')).toBe('14 copies');
  });
});

describe('text', () => {
  test('control, direction and invisible characters become visible', () => {
    expect(cleanText('a\u0000b\u001b[31m\u202etxt.exe\u200b')).toBe('a␀b␛[31m�txt.exe�');
    expect(cleanText('\ud800x')).toBe('�x');
    expect(cleanText('a\u061cb\u00adc\u180ed')).toBe('a�b�c�d');
    expect(cleanText('a\u{e0041}\u{e007f}\u{e0001}b')).toBe('a���b');
    expect(cleanText('naïve 名前 😀')).toBe('naïve 名前 😀');
  });

  test('a megabyte is cut', () => {
    expect(cleanText('x'.repeat(1_000_000)).length).toBe(1024);
  });

  test('a shortened path keeps both ends', () => {
    expect(shortenMiddle('/home/user/traces/run.db', 13)).toBe('/home/…run.db');
    expect(shortenMiddle('short', 13)).toBe('short');
  });
});
