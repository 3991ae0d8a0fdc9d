import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gapsNote, sampleGaps } from './sample-gaps.ts';

const gapsOf = (...times: number[]) => sampleGaps(Float64Array.from(times));

test.each([
  ['no sample', []],
  ['few samples, of which no distance is usual', [0, 1, 100]],
  ['regular samples', [0, 10, 20, 30, 40]],
  ['one that came late', [0, 10, 20, 39, 40, 50]],
  ['samples in pairs', [0, 0, 10, 10, 10, 50, 50]],
])('%s: no gap', (_, times) => {
  expect(gapsOf(...times)).toEqual([]);
});

test('a gap lies between two samples', () => {
  expect(gapsOf(0, 10, 20, 41, 50, 60)).toEqual([{ startNs: 20, endNs: 41 }]);
});

test('most distances are none', () => {
  const times = fc.array(fc.nat(1e6), { minLength: 4, maxLength: 50 }).map((distances) => {
    let ns = 0;
    return [0, ...distances.map((distance) => (ns += distance))];
  });
  fc.assert(
    fc.property(times, (all) => {
      const gaps = gapsOf(...all);
      expect(gaps.length).toBeLessThanOrEqual((all.length - 1) / 2);
      for (const { startNs, endNs } of gaps) expect(endNs).toBe(all[all.lastIndexOf(startNs) + 1]);
    }),
    { numRuns: 200, seed: 13 },
  );
});

test('is told in words', () => {
  expect(gapsNote([])).toBe('');
  expect(gapsNote([{ startNs: 0, endNs: 5e9 }])).toMatch(/^1 time no sample came .*5\.000 s/);
});
