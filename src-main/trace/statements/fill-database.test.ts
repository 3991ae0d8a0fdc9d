import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { loaderTrace } from '../../analysis/testing/loader-trace.ts';
import { createDatabase, fillTables } from './fill-database.ts';

/** Reads the file, and lets go of it a little later. */
const READER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true });
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM README').get();
  parentPort.postMessage('reads');
  setTimeout(() => database.close(), 50);`;

test('tables are written once who still read the file has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-fill-'));
  const path = join(folder, 'statements.db');
  const trace = loaderTrace({ batches: 3, batchNs: 1_000_000 });
  createDatabase(path, trace);
  const reader = new Worker(READER, { eval: true, workerData: path });
  const ended = new Promise((resolve) => reader.on('exit', resolve));
  await new Promise((resolve) => reader.once('message', resolve));
  expect(() => fillTables(path, trace, ['off_cpu'])).not.toThrow();
  await ended;
  rmSync(folder, { recursive: true, force: true });
});
