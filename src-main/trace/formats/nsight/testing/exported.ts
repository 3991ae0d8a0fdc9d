import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import type { Trace } from '../../../../shared/model/trace.ts';
import type { Result } from '../../../../shared/rpc/result.ts';
import { importers } from '../../../importers.ts';
import { openTrace } from '../../../open-trace.ts';

/** Hardware and machine in the upper bits, beyond what a float holds. */
export const task = (pid: number, tid = 0) =>
  (64n << 56n) | (1n << 48n) | (BigInt(pid) << 24n) | BigInt(tid);

/** Exports that a test makes, in a folder that goes with it. */
const folder = mkdtempSync(join(tmpdir(), 'nsight-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

export const pathOf = (name: string) => join(folder, name);

/** An export: StringIds, and the tables of `sql`. */
export function exported(sql: string, strings: Readonly<Record<number, string>> = {}): string {
  const path = pathOf(`${made++}.sqlite`);
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1'), ('EXPORT_SCHEMA_VERSION', '3.17.2'),
      ('EXPORT_USER', 'somebody');
    ${sql}`);
  const insert = database.prepare('INSERT INTO StringIds VALUES (?, ?)');
  for (const [id, value] of Object.entries(strings)) insert.run(Number(id), value);
  database.close();
  return path;
}

export function open(path: string): Result<Trace, string> {
  return openTrace(path, { scratchDir: pathOf('scratch'), importers, progress() {} });
}

export function imported(path: string): Trace {
  const opened = open(path);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

export const RUNTIME = `CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);`;
export const MEMCPY = `CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER,
  srcKind INTEGER, dstKind INTEGER);`;
export const NVTX = `CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
  domainId INTEGER, globalTid INTEGER, endGlobalTid INTEGER);`;
export const SCHED =
  'CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);';
