import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll } from 'vitest';
import type { Trace } from '../../../../shared/model/trace.ts';
import type { Result } from '../../../../shared/rpc/result.ts';
import { importers } from '../../../importers.ts';
import { openTrace } from '../../../open-trace.ts';

/** Hardware and machine in the upper bits, beyond what a float holds. */
export const task = (pid: number, tid = 0) =>
  (64n << 56n) | (1n << 48n) | (BigInt(pid) << 24n) | BigInt(tid);

interface Exports {
  pathOf(name: string): string;
  /** The path of an export: StringIds, and the tables of `sql`. */
  exported(sql: string, strings?: Readonly<Record<number, string>>): string;
  open(path: string): Result<Trace, string>;
  imported(path: string): Trace;
}

/** Exports that a file of tests makes, in a folder that goes with it. */
export function useExports(): Exports {
  let folder = '';
  let made = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nsight-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const pathOf = (name: string) => join(folder, name);
  const open = (path: string) =>
    openTrace(path, { scratchDir: pathOf('scratch'), importers, progress() {} });
  return {
    pathOf,
    open,
    exported(sql, strings = {}) {
      const path = pathOf(`${made++}.sqlite`);
      makeExport(path, sql, strings);
      return path;
    },
    imported(path) {
      const opened = open(path);
      if (!opened.ok) throw new Error(opened.error.message);
      return opened.value;
    },
  };
}

function makeExport(path: string, sql: string, strings: Readonly<Record<number, string>>): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.1'), ('EXPORT_SCHEMA_VERSION', '3.17.2'),
      ('EXPORT_USER', 'somebody');
    ${sql}`);
  const insert = database.prepare('INSERT INTO StringIds VALUES (?, ?)');
  for (const [id, value] of Object.entries(strings)) insert.run(Number(id), value);
  database.close();
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
