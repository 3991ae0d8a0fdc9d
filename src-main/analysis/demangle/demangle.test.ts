import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CUT_MARK } from '../../shared/text/text.ts';
import { demangle } from './demangle.ts';

/** Symbols of real libraries and what binutils' `c++filt --no-verbose` makes of them. */
const fixture = new URL('../../../test/fixtures/demangle/pairs.tsv', import.meta.url);
const pairs = readFileSync(fixture, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [symbol: string, readable: string]);

test('real names are read as c++filt reads them', () => {
  expect(pairs.length).toBeGreaterThan(250);
  expect(pairs.map(([symbol]) => demangle(symbol))).toEqual(pairs.map(([, readable]) => readable));
});

describe('what a trace has', () => {
  test.each([
    [
      '_ZN2at6native5copy_ERNS_6TensorERKS1_b',
      'at::native::copy_(at::Tensor&, at::Tensor const&, bool)',
    ],
    ['_ZN2at6nativeL9copy_implEb.isra.0', 'at::native::copy_impl(bool) [clone .isra.0]'],
    ['_ZNSolsEi@GLIBCXX_3.4', 'std::ostream::operator<<(int)@GLIBCXX_3.4'],
    ['_ZN4core3fmt5Write9write_str17h0123456789abcdefE', 'core::fmt::Write::write_str'],
    ['_RNvC1a4main', 'a::main'],
  ])('%s', (symbol, readable) => {
    expect(demangle(symbol)).toBe(readable);
  });

  test.each([
    '',
    'main',
    'cudaMemcpyAsync',
    '_Z',
    '_ZN',
    '_R',
    '0x7f01',
    '_ZNSt',
    'forward',
    '_ZN1',
    '_Z99999999999a',
  ])('%j is left alone', (symbol) => expect(demangle(symbol)).toBe(symbol));
});

const base62 = (value: number) => {
  const digits = [...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  let text = '';
  for (let left = value - 1; left >= 0; left = Math.floor(left / 62) - 1)
    text = (digits[left % 62] ?? '') + text;
  return `${text}_`;
};

/** Tuples, each of which has the one before it twice. */
function rustDoubling(count: number): string {
  let types = 'u';
  for (let at = 0, last = 8; at < count; at++) {
    const reference = `B${base62(last)}`;
    last = 8 + types.length;
    types += `T${reference}${reference}E`;
  }
  return types;
}

describe('a hostile name', () => {
  test.each([
    ['is nested without end', `_Z1f${'P'.repeat(16_000)}i`],
    ['is a long chain of names', `_ZN${'1a'.repeat(8_000)}E`],
    ['refers to itself again and again', `_Z1f${'1aIS_S_E'.repeat(200)}`],
    [
      'doubles with every part',
      `_Z1fN1aE${Array.from({ length: 60 }, (_, at) => `1bIS${at === 0 ? '' : (at - 1).toString(36).toUpperCase()}_S${at === 0 ? '' : (at - 1).toString(36).toUpperCase()}_E`).join('')}`,
    ],
    ['is longer than any real one', `_Z${'9'.repeat(100_000)}`],
    ['has a lambda that stands for itself', '_ZNKUlT_E_clIS_EEDaS_'],
    ['is Rust and refers to itself', `_RINvC1a1b${'TB0_B0_E'.repeat(200)}E`],
    // The C++ runtime's own demangler reads each of these two for longer than anyone waits.
    ['has 729 bytes of nested conversions', `_ZcvT_I${'N1acvT_I'.repeat(90)}EE`],
    ['nests as deep as it is long', `_ZcvT_I${'L_ZcvT_I'.repeat(2_000)}`],
    ['expands a pack again and again', `_Z1fIJ${'i'.repeat(4_000)}EEv${'DpPT_'.repeat(1_800)}`],
    ['is Rust and refers to all before it', `_RINvC1a1b${rustDoubling(500)}E`],
    ['is Rust and long in punycode', `_RNvC1au8000${'a'.repeat(8_000)}`],
  ])('that %s ends soon and in little', (_, symbol) => {
    // What takes too long runs into the test's time limit.
    expect(demangle(symbol).length).toBeLessThan(120_000);
  });

  test('that was cut is left alone', () => {
    const cut = `_Z1fv${CUT_MARK}`;
    expect(demangle('_Z1fv.x')).not.toBe('_Z1fv.x');
    expect(demangle(cut)).toBe(cut);
  });

  test('never throws, whatever was changed in it', () => {
    const letters = [...'_ZNSTIEJLXKVROPFMADBCUlctrsdpv0123456789abn@.$'];
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs.map(([symbol]) => symbol)),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...letters)), { maxLength: 4 }),
        (symbol, changes) => {
          let changed = symbol;
          for (const [place, letter] of changes) {
            const at = place % changed.length;
            changed = changed.slice(0, at) + letter + changed.slice(at + (place % 2));
          }
          expect(typeof demangle(changed)).toBe('string');
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('never throws, made of the grammar’s letters', () => {
    const letters = [
      'N',
      'S_',
      'S0_',
      'St',
      'T_',
      'I',
      'E',
      'J',
      'L',
      'i5E',
      'X',
      'K',
      'R',
      'O',
      'P',
      'F',
      'M',
      'A3_',
      'Dp',
      'Dt',
      'fp_',
      'cv',
      'cl',
      'sr',
      'Ul',
      'Ut_',
      'E_',
      'v',
      'i',
      '1a',
      '1bI',
      'Z',
      'C1',
      'D2',
      'T0_',
      'pl',
      'ad',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...letters), { maxLength: 60 }),
        fc.constantFrom('_Z', '_ZN', '_Z1fI', '_RINvC1a1b'),
        (body, start) => {
          expect(typeof demangle(start + body.join(''))).toBe('string');
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
