import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { type TableName, tableNames } from '../../src-main/shared/model/schema.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';

/**
 * Opening a file (checks, rows → columns) against the SQLite library alone in C: the `sqlite3`
 * shell reading every column of the same rows with total(). Medians of interleaved runs.
 */

const RUNS = 5;

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

function measure(events: number): void {
  const path = largeTrace(events);
  const sql = readEverything(path);
  const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
  const ours: number[] = [];
  const peer: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    const opened = openTrace(path, { scratchDir, importers, progress: () => undefined });
    ours.push(performance.now() - start);
    if (!opened.ok) throw new Error(opened.error.message);
    const before = performance.now();
    const { status, stderr } = spawnSync('sqlite3', [path], { input: sql, encoding: 'utf8' });
    peer.push(performance.now() - before);
    if (status !== 0) throw new Error(`the peer failed: ${stderr}`);
  }
  rmSync(scratchDir, { recursive: true });
  const [a, b] = [median(ours), median(peer)];
  console.log(
    `open ${events.toLocaleString('en')} events: ${a.toFixed(0)} ms; sqlite3 shell, C: ${b.toFixed(0)} ms; ratio ${(a / b).toFixed(2)}`,
  );
}

for (const events of [200_000, 2_000_000]) measure(events);
