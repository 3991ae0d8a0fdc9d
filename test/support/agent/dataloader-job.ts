import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../built.ts';
import { cudart, query, value } from './agent-run.ts';

/** PyTorch's own DataLoader feeding the simulated GPU (test/agent/jobs/dataloader.py), and what it did. */

export interface DataLoaderReport {
  readonly pid: number;
  readonly workers: readonly number[];
  readonly batches: number;
  readonly bytes: number;
  readonly copies: number;
  readonly launches: number;
  readonly syncs: number;
}

export const dataLoaderScript = join(root, 'test/agent/jobs/dataloader.py');
export const PINNED = 1;
export const PAGEABLE = 4;

/** The job writes its DataLoaderReport to `report`. */
export function dataLoaderCommand(report: string, options: readonly string[]): string[] {
  const command = ['/usr/bin/python3', dataLoaderScript, '--library', cudart];
  return [...command, '--report', report, ...options];
}

export function expectExactCopies(
  file: string,
  report: DataLoaderReport,
  hostMemory: number,
): void {
  const rows = query(
    file,
    `SELECT count(*) AS n, sum(bytes) AS bytes, direction, host_memory, return_code
     FROM cuda_call JOIN name ON name.id = op_id WHERE name.text = 'cudaMemcpyAsync' GROUP BY 3, 4, 5`,
  );
  const expected = { n: report.copies, bytes: report.bytes, direction: 1, return_code: 0 };
  expect(rows).toEqual([{ ...expected, host_memory: hostMemory }]);
  const syncs = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
    WHERE name.text = 'cudaStreamSynchronize'`;
  expect(value(file, syncs)).toBe(report.syncs);
  const launches = `SELECT (SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaLaunchKernel')
    + (SELECT coalesce(sum(count - coalesce(stored, 0)), 0) FROM aggregate)`;
  expect(value(file, launches)).toBe(report.launches);
}

/** What the GPU did, where the library inside recorded it. */
export function expectExactWork(file: string, report: DataLoaderReport): void {
  const [work] = query(
    file,
    `SELECT count(*) FILTER (WHERE kind = 1) AS kernels, count(*) FILTER (WHERE kind = 2) AS copies,
       sum(bytes) AS bytes FROM gpu_work`,
  );
  expect(work).toEqual({ kernels: report.launches, copies: report.copies, bytes: report.bytes });
}

export function expectWorkers(file: string, report: DataLoaderReport): void {
  const found = query(
    file,
    `SELECT pid FROM process WHERE role = 'dataloader-worker' ORDER BY pid`,
  );
  expect(found.map(({ pid }) => pid)).toEqual([...report.workers]);
  const main = `SELECT role FROM process WHERE pid = ${report.pid}`;
  expect(value(file, main)).toBe('main');
}
