import { expect, test } from 'vitest';
import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import { columnsFor, nextOrder, operationColumns, sortOperations } from './operation-rows.ts';

const row = (changes: Partial<OperationStats>): OperationStats => ({
  source: 'CUDA',
  name: 'cudaMemcpyAsync',
  direction: 'H2D',
  count: 1,
  bytes: 0,
  totalNs: 1,
  p50Ns: 1,
  p95Ns: 1,
  p99Ns: 1,
  maxNs: 1,
  ...changes,
});

test('rows of one source stand by their total, largest first', () => {
  const rows = [row({ source: 'HOST', totalNs: 9 }), row({ totalNs: 2 }), row({ totalNs: 5 })];
  const sorted = sortOperations(rows, { key: 'source', descending: false });
  expect(sorted.map(({ totalNs }) => totalNs)).toEqual([5, 2, 9]);
});

test('a column of numbers sorts from its largest first, a second click turns it', () => {
  const max = operationColumns.find(({ key }) => key === 'maxNs');
  if (max === undefined) throw new Error('no column of maxima');
  const first = nextOrder({ key: 'source', descending: false }, max);
  expect(first).toEqual({ key: 'maxNs', descending: true });
  expect(nextOrder(first, max).descending).toBe(false);
});

test('a copy is told apart by direction and size', () => {
  const copy = operationColumns.find(({ key }) => key === 'copy');
  expect(copy?.text(row({ sizeBucket: 5 }))).toBe('H2D · > 256 MiB');
  expect(copy?.text(row({ direction: null }))).toBe('');
});

test('of several hosts a column says which, as short as tells them apart', () => {
  const told = (...hosts: string[]) => {
    const rows = hosts.map((host) => row({ host }));
    const [column] = columnsFor(rows);
    return rows.map((each) => [column?.text(each), column?.hint?.(each)]);
  };
  const long = 'trainer-rack7-gpu-02.cluster.internal';
  expect(told('gpu-10', long)).toEqual([
    ['gpu-10', undefined],
    ['trainer…gpu-02', long],
  ]);
  expect(told('gpu.a.example', 'gpu.b.example')).toEqual([
    ['gpu.a.example', undefined],
    ['gpu.b.example', undefined],
  ]);
  expect(told('10.0.0.7', 'gpu.example').map(([text]) => text)).toEqual([
    '10.0.0.7',
    'gpu.example',
  ]);
});

test('what the GPU recorded of copies has a column where there is some', () => {
  const recorded = { count: 3, bytesPerNs: 5, pageable: 2, pinned: 1 };
  const columns = columnsFor([row({}), row({ recorded })]);
  const onGpu = columns.find(({ key }) => key === 'onGpu');
  expect(onGpu?.text(row({ recorded }))).toBe('5.000 GB/s · 2 pageable · 1 pinned');
  expect(onGpu?.text(row({}))).toBe('');
  expect(columnsFor([row({})]).some(({ key }) => key === 'onGpu')).toBe(false);
});

test('a count says where more happened than is stored', () => {
  const count = operationColumns.find(({ key }) => key === 'count');
  const counted = { stored: 14, counted: 1021 };
  const whole = row({ count: 14, counted });
  expect(count?.text(whole)).toBe('14 of 1,021');
  expect(count?.hint?.(whole)).toBe('1,021 were recorded, 14 are stored');
  const part = row({ count: 8, counted });
  expect(count?.text(part)).toBe('≥ 8');
  expect(count?.hint?.(part)).toBe(
    '1,021 of all directions and sizes were recorded, 14 are stored',
  );
  expect(count?.text(row({ count: 8 }))).toBe('8');
  expect(count?.hint?.(row({ count: 8 }))).toBeUndefined();
});

test('times and sizes say it too, and the longest may be one that is not stored', () => {
  const cell = (key: string, of: OperationStats) => {
    const column = operationColumns.find((each) => each.key === key);
    return [column?.text(of), column?.hint?.(of)];
  };
  const counted = {
    stored: 1,
    counted: 9,
    storedNs: 1,
    totalNs: 40,
    maxNs: 7,
    storedBytes: 1,
    bytes: 8,
  };
  const whole = row({ counted, bytes: 1 });
  expect(cell('totalNs', whole)).toEqual([
    '1 ns of 40 ns',
    '40 ns by the recorder’s sums, 1 ns in what is stored',
  ]);
  expect(cell('maxNs', whole)).toEqual(['7 ns', 'the longest stored took 1 ns']);
  expect(cell('bytes', whole)[0]).toBe('1 B of 8 B');
  expect(cell('totalNs', row({ totalNs: 0, maxNs: 0 }))).toEqual(['–', undefined]);
});

test('rows of several hosts say which, and can be sorted by it', () => {
  const rows = [row({ host: 'gpu-b' }), row({ host: 'gpu-a' })];
  expect(columnsFor(rows)[0]?.label).toBe('Host');
  expect(columnsFor(rows)[0]?.text(row({ host: 'gpu-b' }))).toBe('gpu-b');
  const sorted = sortOperations(rows, { key: 'host', descending: false });
  expect(sorted.map(({ host }) => host)).toEqual(['gpu-a', 'gpu-b']);
  expect(columnsFor([row({})])).toEqual(operationColumns);
});
