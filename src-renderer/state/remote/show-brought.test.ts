import { expect, test } from 'vitest';
import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import { slowestRow } from './show-brought.ts';

const stats = (name: string, maxNs: number, slowestCall?: number) =>
  ({ name, maxNs, ...(slowestCall !== undefined && { slowestCall }) }) as OperationStats;

test('the slowest cudaMemcpyAsync, whatever else was slower', () => {
  const rows = [
    stats('cudaStreamSynchronize', 900, 1),
    stats('cudaMemcpyAsync', 50, 2),
    stats('cudaMemcpyAsync', 70, 3),
  ];
  expect(slowestRow(rows)).toBe(3);
});

test('without one the slowest call; of what is no call none', () => {
  expect(slowestRow([stats('cudaMalloc', 5, 4), stats('cudaFree', 9, 5)])).toBe(5);
  expect(slowestRow([stats('page fault', 5)])).toBeUndefined();
  expect(slowestRow([])).toBeUndefined();
});
