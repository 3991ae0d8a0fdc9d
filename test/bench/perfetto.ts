import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { askedAbout } from '../../src-main/app/trace-process/asked-about.ts';
import { summarise } from '../../src-main/app/trace-process/summarise.ts';
import { perfettoTrace } from '../../src-main/report/perfetto/perfetto-trace.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';

/**
 * The timeline of a large trace as a trace of Perfetto, against the `sqlite3` shell that writes the rows of the same
 * tables as CSV. Prints figures; asserts none.
 */

const RUNS = 5;
const EVENTS = 1_000_000;
const VIEWER = { host: 'desk', user: 'ada' };
const TABLES = ['cuda_call', 'off_cpu', 'on_cpu', 'gpu_work', 'range', 'page_fault', 'block_io'];

const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-perfetto-'));

function seconds(act: () => void): number {
  const begun = performance.now();
  act();
  return (performance.now() - begun) / 1000;
}

function exportOnce(trace: Trace): number {
  let bytes = 0;
  const data = askedAbout(trace, summarise(trace)).judged();
  for (const piece of perfettoTrace(data, { hidePrivate: true }, VIEWER)) bytes += piece.length;
  return bytes;
}

const path = largeTrace(EVENTS);
try {
  const opened = openTrace(path, { scratchDir, importers, progress: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  const trace = withRoles(opened.value);
  const events = Object.values(trace.tables).reduce((sum, { rows }) => sum + rows, 0);
  const select = TABLES.map((table) => `SELECT * FROM ${table};`).join(' ');
  const ours: number[] = [];
  const peers: number[] = [];
  let bytes = 0;
  for (let run = 0; run < RUNS; run++) {
    ours.push(
      seconds(() => {
        bytes = exportOnce(trace);
      }),
    );
    peers.push(
      seconds(() => {
        execFileSync('sqlite3', ['-csv', path, select], { maxBuffer: 2 ** 31 });
      }),
    );
  }
  const [own, peer] = [median(ours), median(peers)];
  console.log(
    `${events} events: ${own.toFixed(2)} s, ${(bytes / events).toFixed(1)} B an event; ` +
      `sqlite3 as CSV ${peer.toFixed(2)} s, ratio ${(own / peer).toFixed(1)}`,
  );
} finally {
  rmSync(scratchDir, { recursive: true, force: true });
}
