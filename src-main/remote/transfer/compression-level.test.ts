import { expect, test } from 'vitest';
import { CompressionLevel } from './compression-level.ts';

/** The level after so many seconds of ten frames each. */
function after(
  level: CompressionLevel,
  seconds: number,
  { mbPerS, waited }: { mbPerS: number; waited: number },
  fromS = 0,
): number {
  for (let frame = 1; frame <= seconds * 10; frame++)
    level.note({
      nowMs: fromS * 1000 + frame * 100,
      wireBytes: mbPerS * 1e5,
      waitedMs: waited * 100,
      tookMs: 100,
    });
  return level.level;
}

test.each([
  [200, 1],
  [41, 1],
  [30, 3],
  [8, 6],
  [1, 9],
])('over %i MB/s, a host that keeps up comes to level %i', (mbPerS, expected) => {
  expect(after(new CompressionLevel(), 20, { mbPerS, waited: 0.02 })).toBe(expected);
});

test('goes a step a second', () => {
  const level = new CompressionLevel();
  expect(after(level, 1, { mbPerS: 1, waited: 0 })).toBe(3);
  expect(after(level, 1, { mbPerS: 1, waited: 0 }, 1)).toBe(6);
});

test('a busy host is not asked for more, however slow it makes the link look', () => {
  expect(after(new CompressionLevel(), 20, { mbPerS: 1, waited: 0.9 })).toBe(1);
  expect(after(new CompressionLevel(), 20, { mbPerS: 1, waited: 0.3 })).toBe(1);
});

test('goes back when the link waits for the host, or has become fast', () => {
  const level = new CompressionLevel();
  expect(after(level, 5, { mbPerS: 1, waited: 0 })).toBe(9);
  expect(after(level, 2, { mbPerS: 1, waited: 0.8 }, 5)).toBe(3);
  expect(after(level, 3, { mbPerS: 100, waited: 0 }, 7)).toBe(1);
});
