import type { Trace } from '../../../shared/model/trace.ts';
import type { ImportContext } from '../../source/importer.ts';
import type { TableSource } from './read-rows.ts';

/** Who reads tables says how far it is. */
interface ReadingProgress {
  /** So many more rows of `source` are read. */
  onRows(source: TableSource, rows: number): void;
  onWhole(source: TableSource): void;
}

/** Tells `context` how far `sources`, which are read in this order, are read; `trace`: what there is of them. */
export function createReadingProgress(
  sources: readonly TableSource[],
  context: ImportContext,
  trace: () => Trace,
): ReadingProgress {
  const total = sources.reduce((sum, source) => sum + source.total, 0);
  const read = new Map(
    sources.map((source) => [source, { table: source.table, rows: 0, isWhole: false }]),
  );
  const told = { tables: () => [...read.values()].map((each) => ({ ...each })), trace };
  let done = 0;
  return {
    onRows(source, rows) {
      const of = read.get(source);
      if (of !== undefined) of.rows += rows;
      done += rows;
      const fraction = Math.min(1, done / total);
      context.progress({ fraction, text: `Reading ${source.table}` });
      context.soFar?.(told);
    },
    onWhole(source) {
      const of = read.get(source);
      if (of !== undefined) of.isWhole = true;
    },
  };
}
