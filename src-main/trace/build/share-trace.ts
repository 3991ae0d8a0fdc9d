import type { ColumnArray } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { tableNames } from '../../shared/model/schema.ts';
import type { Stacks } from '../../shared/model/stacks.ts';
import type { Table, Tables, Trace } from '../../shared/model/trace.ts';
import { shared } from './shared-array.ts';

/**
 * `trace` with all of its columns in memory that threads share: it can be handed to one of them without
 * being copied. Most columns are built there; the others are moved one by one out of the old tables, so
 * that no more than one column is there twice: use `trace` no further.
 */
export function shareTrace(trace: Trace): Trace {
  const tables = tableNames.map((name) => [name, shareTable(trace.tables[name])]);
  return {
    ...trace,
    tables: Object.fromEntries(tables) as Tables,
    stacks: shareStacks(trace.stacks),
  };
}

function shareTable(table: Table<TableName>): Table<TableName> {
  const columns = table.columns as unknown as Record<string, ColumnArray | undefined>;
  for (const [name, column] of Object.entries(columns))
    if (column !== undefined) columns[name] = shared(column);
  return table;
}

function shareStacks(stacks: Stacks): Stacks {
  const { frames } = stacks;
  return {
    ...stacks,
    prefix: shared(stacks.prefix),
    frame: shared(stacks.frame),
    frames: {
      ...frames,
      symbol: shared(frames.symbol),
      file: shared(frames.file),
      line: shared(frames.line),
      language: shared(frames.language),
    },
  };
}
