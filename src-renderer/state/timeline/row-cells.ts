import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import { eventColumns } from '../../../src-main/timeline/model/event-source.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { type EventTrack, NO_ROW } from '../../../src-main/timeline/model/track-model.ts';

/** A cell of one row by the name of its column; `undefined` where there is none, or it is not here yet. */
export type ReadCell = (column: string) => number | undefined;

type Columns = Readonly<Record<string, ArrayLike<number> | undefined>>;

/** The cells of row `row` of a track's table: from what the page has of all rows, else from what is told of this one. */
export function rowCells(
  data: TraceData,
  { table }: Pick<EventTrack, 'table'>,
  row: number,
  told: RowFacts | undefined,
): ReadCell {
  if (table === undefined || row === NO_ROW) return () => undefined;
  const columns = eventColumns(data.tables, table) as Columns | undefined;
  return (column) => columns?.[column]?.[row] ?? told?.values[column];
}
