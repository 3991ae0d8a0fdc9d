import { DatabaseSync } from 'node:sqlite';
import type { TableName } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { createStatements } from '../formats/stalltrace/create.ts';
import { writeEntities } from '../formats/stalltrace/write-entities.ts';
import { writeTable } from '../formats/stalltrace/write-rows.ts';
import { views } from './views.ts';

/** A statement that works on one trace works on any: what nobody recorded is NULL. */
const everyColumn = () => true;

/** Writes the file `path` with the trace's entities, its empty tables and the views. Throws what SQLite throws. */
export function createDatabase(path: string, trace: Trace): void {
  write(path, (database) => {
    for (const statement of createStatements()) database.exec(statement);
    for (const { name, select } of views) database.exec(`CREATE VIEW ${name} AS ${select}`);
    writeEntities(database, trace, everyColumn);
    const readme = database.prepare("INSERT INTO README VALUES (?, '', '', ?)");
    for (const { name, doc } of views) readme.run(name, `view: ${doc}`);
  });
}

/** Fills tables of that file that are still empty. Throws what SQLite throws. */
export function fillTables(path: string, trace: Trace, tables: readonly TableName[]): void {
  write(path, (database) => {
    for (const table of tables) writeTable(database, trace, table, 'every');
  });
}

/** The process of the statement before may still end: it holds its lock for so long. */
const LOCKED_MS = 5_000;

function write(path: string, fill: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { timeout: LOCKED_MS });
  try {
    // Lost with its process, so neither a journal nor a sync helps.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    fill(database);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
