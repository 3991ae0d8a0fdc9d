import { statSync } from 'node:fs';
import { findNative } from '../../src-main/native/library.ts';
import { tableNames } from '../../src-main/shared/model/schema.ts';
import type { Tables, Trace } from '../../src-main/shared/model/trace.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { tell } from './measure/figures.ts';
import { openOnce } from './measure/open-once.ts';
import { goalAt, sizes } from './measure/sizes.ts';
import { NODE, readByNode, readByShell, SHELL } from './measure/sqlite-peers.ts';

/**
 * Opening a file (checks, rows → columns) against SQLite alone, which reads every column of the same
 * rows: in C, and in JavaScript. Medians of interleaved runs, and the bytes of an event: in our columns,
 * and in the file, where SQLite reads it. With STALLTRACE_NATIVE=off JavaScript reads the rows.
 */

const RUNS = 5;
/** Opening ÷ what C needs. */
const GOAL = 1.2;

/** What the columns of all tables hold in memory, ÷ their rows. A part of a buffer keeps it whole. */
function bytesAnEvent({ tables }: Trace): number {
  const columns = tableNames.flatMap((table) => Object.values(tables[table].columns));
  const buffers = new Set(columns.map(({ buffer }) => buffer));
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return bytes / rowsOf(tables);
}

const rowsOf = (tables: Tables) => tableNames.reduce((sum, table) => sum + tables[table].rows, 0);

function measure(events: number): void {
  const path = largeTrace(events);
  const ours: number[] = [];
  const shell: number[] = [];
  const node: number[] = [];
  let bytes = Number.NaN;
  let rows = 0;
  for (let run = 0; run < RUNS; run++) {
    const { trace, ms } = openOnce(path);
    ours.push(ms);
    bytes = bytesAnEvent(trace);
    rows = rowsOf(trace.tables);
    shell.push(readByShell(path));
    node.push(readByNode(path));
  }
  const open = { size: events, figure: 'open', unit: 'ms', value: median(ours) };
  const c = median(shell);
  tell({ ...open, peer: { name: SHELL, value: c }, ...goalAt(events, GOAL * c) });
  tell({ ...open, peer: { name: NODE, value: median(node) } });
  tell({
    size: events,
    figure: 'columns in memory',
    unit: 'B an event',
    value: bytes,
    peer: { name: "SQLite's file", value: statSync(path).size / rows },
  });
}

const { library } = findNative();
console.log(`rows are read by ${library === undefined ? 'JavaScript' : 'native code'}`);
for (const events of sizes()) measure(events);
