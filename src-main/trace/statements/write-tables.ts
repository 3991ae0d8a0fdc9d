import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { eventColumns } from '../formats/stalltrace/schema.ts';
import { createDatabase, fillTables } from './fill-database.ts';

/** What is written for statements to read. */
export interface TablesWanted {
  readonly path: string;
  /** The file is not there yet: it is made, with all but the events. */
  readonly isNew: boolean;
  /** Still empty in it. */
  readonly tables: readonly TableName[];
}

/** Makes the file that statements read, or fills tables of it. One that failed is of no use any more. */
export function writeTables(
  trace: Trace,
  { path, isNew, tables }: TablesWanted,
): Result<null, 'disk-full'> {
  try {
    if (isNew) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      createDatabase(path, trace);
    }
    fillTables(path, trace, tables);
    return ok(null);
  } catch (thrown) {
    rmSync(path, { force: true });
    const full = 'There is no room for the tables that the statement reads: free disk space.';
    if (/full|disk I\/O/.test(describeThrown(thrown))) return fail('disk-full', full);
    throw thrown;
  }
}

/** Columns of events that nobody recorded, as `table.column`: they are NULL in every row. */
export function absentColumns(trace: Trace): string[] {
  return tableNames.flatMap((table) =>
    eventColumns(table)
      .filter(({ name }) => columnsOf(trace, table)[name] === undefined)
      .map(({ sqlName }) => `${table}.${sqlName}`),
  );
}
