import { expect } from 'vitest';
import { query, type Recording, value } from './agent-run.ts';

/** What `calls count` of the stand-in does, and what a recording of it has to say, whoever recorded it. */

const H2D = 1;
const D2H = 2;
const D2D = 3;
export const PINNED = 1;
const REGISTERED = 2;
const MANAGED = 3;
const PAGEABLE = 4;
export const RUNTIME = 1;
export const DRIVER = 2;

export const ROUNDS = 40;
export const THREADS = 3;

/** What each round copies: operation, bytes, direction, host memory, return code, how often. */
const COPIES = [
  ['cudaMemcpy', 512, D2D, 0, 0, 1],
  ['cudaMemcpy', 1024, H2D, PAGEABLE, 1, 1],
  ['cudaMemcpy', 16384, H2D, PAGEABLE, 0, 1],
  ['cudaMemcpy2DAsync', 4096, H2D, PAGEABLE, 0, 1],
  ['cudaMemcpyAsync', 2048, H2D, PINNED, 0, 1],
  ['cudaMemcpyAsync', 4096, D2H, PINNED, 0, 1],
  ['cudaMemcpyAsync', 32768, H2D, MANAGED, 0, 1],
  ['cudaMemcpyAsync', 65536, H2D, PAGEABLE, 0, 1],
  ['cudaMemcpyAsync', 98304, H2D, REGISTERED, 0, 1],
  ['cudaMemcpyAsync', 131072, H2D, PINNED, 0, 1],
] as const;

/** Other calls of a round, with their bytes. */
const OTHERS = [
  ['cudaDeviceSynchronize', null, 1],
  ['cudaEventSynchronize', null, 1],
  ['cudaFree', null, 2],
  ['cudaFreeHost', null, 1],
  ['cudaHostAlloc', 262144, 1],
  ['cudaHostRegister', 131072, 1],
  ['cudaHostUnregister', null, 1],
  ['cudaMalloc', 1048576, 1],
  ['cudaMallocManaged', 65536, 1],
  ['cudaMemset', 8192, 1],
  ['cudaStreamSynchronize', null, 1],
] as const;

/** Calls of each launching function: single rows, and those that were only counted. */
export function launches(file: string, layer: number): Record<string, unknown> {
  const rows = query(
    file,
    `SELECT op, sum(n) AS n FROM (
       SELECT name.text AS op, count(*) AS n FROM cuda_call JOIN name ON name.id = op_id
       WHERE layer IN (${layer}, 3) GROUP BY op
       UNION ALL
       SELECT name.text, sum(count - coalesce(stored, 0)) FROM aggregate JOIN name ON name.id = op_id
       GROUP BY name.text
     ) WHERE op LIKE '%Launch%' GROUP BY op`,
  );
  return Object.fromEntries(rows.map(({ op, n }) => [op, n]));
}

function copies(file: string): unknown[][] {
  return query(
    file,
    `SELECT name.text, bytes, direction, host_memory, return_code, count(*) AS n
     FROM cuda_call JOIN name ON name.id = op_id
     WHERE name.text LIKE 'cudaMemcpy%' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3`,
  ).map((row) => Object.values(row));
}

function callsByThread(file: string): Map<unknown, unknown> {
  const rows = query(
    file,
    `SELECT tid, count(*) AS n FROM cuda_call JOIN thread ON thread.id = thread_id
     WHERE parent_call_id IS NULL GROUP BY tid`,
  );
  return new Map(rows.map(({ tid, n }) => [tid, n]));
}

export function expectExactCalls({ file, report }: Recording): void {
  expectExactCallsIn(file, report());
}

/** `report`: what the job wrote to JOB_REPORT. */
export function expectExactCallsIn(file: string, report: unknown): void {
  const times = ROUNDS * THREADS;
  expect(copies(file)).toEqual(COPIES.map((row) => [...row.slice(0, 5), row[5] * times]));
  for (const [op, bytes, count] of OTHERS) {
    const sql = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = '${op}' AND return_code = 0 AND bytes IS ${bytes ?? 'NULL'}`;
    expect(value(file, sql), op).toBe(count * times);
  }
  expect(launches(file, RUNTIME)).toEqual({
    cudaGraphLaunch: times,
    cudaLaunchKernel: 3 * times,
    cudaLaunchKernelExC: 2 * times,
  });
  const { tids } = report as { tids: number[] };
  const threads = callsByThread(file);
  for (const tid of tids) expect(threads.has(tid), `thread ${tid}`).toBe(true);
}
