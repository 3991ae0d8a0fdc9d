import { join } from 'node:path';
import type { Trace } from '../../../src-main/shared/model/trace.ts';
import { writeTraceFile } from '../../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../../src-main/trace/importers.ts';
import { openTrace } from '../../../src-main/trace/open-trace.ts';
import { root } from '../../support/built.ts';
import { repeatTrace } from './repeat-trace.ts';

/** The bundled capture run over and over until it has so many events, also as a file in `folder`. */
export function longSample(
  events: number,
  folder: string,
): { readonly trace: Trace; readonly rows: number; readonly path: string } {
  const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
  const opened = openTrace(sample, { scratchDir: folder, importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  const trace = repeatTrace(opened.value, Math.ceil(events / rowsOf(opened.value)));
  const path = join(folder, `long-${events}.trace.db`);
  const written = writeTraceFile(path, trace);
  if (!written.ok) throw new Error(written.error.message);
  return { trace, rows: rowsOf(trace), path };
}

function rowsOf(trace: Trace): number {
  return Object.values(trace.tables).reduce((sum, { rows }) => sum + rows, 0);
}
