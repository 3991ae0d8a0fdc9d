import { expect, test } from 'vitest';
import { benchmarkScript, workersToTry } from './benchmark-script.ts';

test('tries what the recording had, and what its CPUs suggest', () => {
  expect(workersToTry({ usableCpus: 4, workers: 8 })).toEqual([0, 1, 2, 3, 4, 8]);
  expect(workersToTry({ usableCpus: 1.5 })).toEqual([0, 1, 2]);
  expect(workersToTry({ usableCpus: 0 })).toEqual([0, 1, 2, 4]);
});

test('a hostile recording cannot ask for a million workers', () => {
  expect(Math.max(...workersToTry({ usableCpus: 1e9, workers: 1e9 }))).toBe(64);
  expect(workersToTry({ usableCpus: Number.NaN, workers: -5 })).toEqual([0, 1, 2, 4]);
});

test('every place is filled in', () => {
  const script = benchmarkScript({ usableCpus: 2, workers: 4 });
  expect(script).toContain('WORKERS = [0,1,2,4]');
  expect(script).toContain('RECORDED_WORKERS = 4');
  expect(script).not.toMatch(/@[A-Z]+@/);
  expect(benchmarkScript({ usableCpus: 2 })).toContain('RECORDED_WORKERS = None');
});
