import { DatabaseSync } from 'node:sqlite';

/** Databases whose schema holds a CPU for long, or for ever, once SQLite is asked to read it. */

type SchemaRow = readonly [
  type: string,
  name: string,
  table: string,
  rootPage: number,
  sql: string,
];

/** Writes rows into the schema as they are: SQLite parses them when the file is opened next. */
function describe(database: DatabaseSync, rows: Iterable<SchemaRow>): void {
  database.exec('PRAGMA writable_schema=ON; BEGIN');
  const insert = database.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)');
  for (const row of rows) insert.run(...row);
  database.exec('COMMIT');
}

function* repeat(count: number, row: (at: number) => SchemaRow): Generator<SchemaRow> {
  for (let at = 0; at < count; at++) yield row(at);
}

const tables = (count: number) =>
  repeat(count, (at) => ['table', `t${at}`, `t${at}`, 2, `CREATE TABLE t${at}(a)`]);

/** Each is given a new database with a table `events`. */
export const schemaBombs: Readonly<Record<string, (database: DatabaseSync) => void>> = {
  '20,000 tables': (database) => describe(database, tables(20_000)),
  '20,000 indexes': (database) =>
    describe(
      database,
      repeat(20_000, (at) => ['index', `i${at}`, 'events', 2, `CREATE INDEX i${at} ON events(x)`]),
    ),
  '20,000 views of views': (database) =>
    describe(
      database,
      repeat(20_000, (at) => [
        'view',
        `v${at}`,
        `v${at}`,
        0,
        `CREATE VIEW v${at} AS SELECT * FROM v${at + 1}, v${at + 1}`,
      ]),
    ),
  '20,000 triggers': (database) =>
    describe(
      database,
      repeat(20_000, (at) => [
        'trigger',
        `g${at}`,
        'events',
        0,
        `CREATE TRIGGER g${at} AFTER INSERT ON events BEGIN SELECT 1; END`,
      ]),
    ),
  'a table with 2 MB of text': (database) =>
    describe(database, [
      ['table', 'big', 'big', 2, `CREATE TABLE big(a) /*${'x'.repeat(2_000_000)}*/`],
    ]),
  'a table with 30,000 columns': (database) =>
    describe(
      database,
      repeat(8, (at) => [
        'table',
        `w${at}`,
        `w${at}`,
        2,
        `CREATE TABLE w${at}(${Array.from({ length: 30_000 }, (_, column) => `c${column}`).join()})`,
      ]),
    ),
  'statistics of 50,000 rows': (database) => statistics(database, 'sqlite_stat1', 50_000),
  'statistics in UTF-16': (database) => statistics(database, 'sqlite_stat1', 50_000),
};

function statistics(database: DatabaseSync, table: string, rows: number): void {
  database.exec(`CREATE INDEX of_events ON events(x); INSERT INTO events VALUES (1); ANALYZE;
    PRAGMA writable_schema=ON;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      INSERT INTO ${table} SELECT 'events', 'of_events', '1 1' FROM n`);
}

/** Opens a new database at `path` for `bomb`; the caller closes it. */
export function startBomb(path: string, bomb: string): DatabaseSync {
  const database = new DatabaseSync(path, { defensive: false });
  if (bomb.includes('UTF-16')) database.exec("PRAGMA encoding='UTF-16be'");
  database.exec('CREATE TABLE events(x)');
  return database;
}

export function makeSchemaBomb(path: string, bomb: string): void {
  const database = startBomb(path, bomb);
  schemaBombs[bomb]?.(database);
  database.close();
}
