import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { findNative } from '../../src-main/native/library.ts';
import { type TableName, tableNames } from '../../src-main/shared/model/schema.ts';
import type { Tables, Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';

/**
 * Opening a file (checks, rows → columns) against the SQLite library alone in C: the `sqlite3`
 * shell reading every column of the same rows with total(). Medians of interleaved runs, and the
 * bytes of an event: in our columns, and in the file, where SQLite reads it. With STALLTRACE_NATIVE=off
 * JavaScript reads the rows.
 */

/** How many runs of a trace of so many events. */
const runs = { 200000: 5, 2000000: 5, 10000000: 3 };

/** SQL that makes C decode every column of every event table. */
function readEverything(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const statements = tableNames.map((table: TableName) => {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[];
    return `SELECT ${columns.map(({ name }) => `total(${name})`).join(', ')} FROM ${table};`;
  });
  database.close();
  return statements.join('\n');
}

/** What the columns of all tables hold in memory, ÷ their rows. A part of a buffer keeps it whole. */
function bytesAnEvent({ tables }: Trace): number {
  const columns = tableNames.flatMap((table) => Object.values(tables[table].columns));
  const buffers = new Set(columns.map(({ buffer }) => buffer));
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return bytes / rowsOf(tables);
}

const rowsOf = (tables: Tables) => tableNames.reduce((sum, table) => sum + tables[table].rows, 0);

function openOnce(path: string, scratchDir: string): { trace: Trace; ms: number } {
  const begun = performance.now();
  const opened = openTrace(path, { scratchDir, importers, progress: () => undefined });
  const ms = performance.now() - begun;
  if (!opened.ok) throw new Error(opened.error.message);
  return { trace: opened.value, ms };
}

function readOnce(path: string, sql: string): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync('sqlite3', [path], { input: sql, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the peer failed: ${stderr}`);
  return performance.now() - begun;
}

function measure(events: number, times: number): void {
  const path = largeTrace(events);
  const sql = readEverything(path);
  const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
  const ours: number[] = [];
  const peer: number[] = [];
  let bytes = Number.NaN;
  let rows = 0;
  for (let run = 0; run < times; run++) {
    const { trace, ms } = openOnce(path, scratchDir);
    ours.push(ms);
    bytes = bytesAnEvent(trace);
    rows = rowsOf(trace.tables);
    peer.push(readOnce(path, sql));
  }
  rmSync(scratchDir, { recursive: true });
  const [a, b] = [median(ours), median(peer)];
  const fileBytes = statSync(path).size / rows;
  console.log(
    `open ${rows.toLocaleString('en')} events: ${a.toFixed(0)} ms; sqlite3 shell, C: ${b.toFixed(0)} ms; ratio ${(a / b).toFixed(2)}
  an event: ${bytes.toFixed(1)} bytes in memory; in SQLite's file: ${fileBytes.toFixed(1)} bytes; ratio ${(bytes / fileBytes).toFixed(2)}`,
  );
}

const { library } = findNative();
console.log(`rows are read by ${library === undefined ? 'JavaScript' : 'native code'}`);
for (const [events, times] of Object.entries(runs)) measure(Number(events), times);
