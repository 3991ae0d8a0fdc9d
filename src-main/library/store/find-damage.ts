import Database from 'better-sqlite3';
import { describeThrown } from '../../shared/rpc/result.ts';
import { migrations } from './migrations.ts';
import { isDamage } from './unavailable.ts';

/** Above this the pages of the tables are looked at, not of the indexes: 256 MiB take about 3 s. */
const WHOLE_CHECK_BYTES = 256 * 2 ** 20;
const TABLES = ['investigation', 'tag', 'note', 'setting', 'saved_query'] as const;

/**
 * What SQLite's own check does not look into: the zeroed last page of a long row, an entry or a note that
 * the search index lost. The last page of a note has the end of its last column, which always is a `Z`:
 * a text may end in whatever its user wrote.
 */
const ROWS = `
  SELECT 'entry ' || id || ' is cut off' FROM investigation
    WHERE NOT json_valid(processes) OR NOT json_valid(roles)
      OR NOT json_valid(coalesce(view, 'null')) OR instr(path || name || format, char(0)) > 0
  UNION ALL
  SELECT 'note ' || row || ' is cut off' FROM note
    WHERE substr(CAST(updated_at AS BLOB), -1) <> CAST('Z' AS BLOB)
      OR NOT json_valid(coalesce(event, 'null')) OR NOT json_valid(coalesce(view, 'null'))
  UNION ALL
  SELECT 'entry ' || id || ' is not in the index'
    FROM (SELECT id FROM investigation EXCEPT SELECT id FROM entry_words_docsize)
  UNION ALL
  SELECT 'note ' || row || ' is not in the index'
    FROM (SELECT row FROM note EXCEPT SELECT id FROM note_words_docsize)
  LIMIT 1`;

/** What is wrong with the catalogue, in words for a bug report; `undefined` where it is sound. */
export function findDamage(
  database: Database.Database,
  wholeBytes = WHOLE_CHECK_BYTES,
): string | undefined {
  try {
    return database.transaction(() => firstProblem(database, wholeBytes))();
  } catch (thrown) {
    if (isDamage(thrown)) return describeThrown(thrown);
    throw thrown;
  }
}

/** Likewise of the file as it is on the disk, whatever of it this process has in memory. */
export function damageInFile(path: string): string | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true });
    return findDamage(database);
  } catch (thrown) {
    if (isDamage(thrown)) return describeThrown(thrown);
    throw thrown;
  } finally {
    database?.close();
  }
}

function firstProblem(database: Database.Database, wholeBytes: number): string | undefined {
  const problems = checks(database, wholeBytes).map((check) => check.find((line) => line !== 'ok'));
  return problems.find((problem) => problem !== undefined);
}

function checks(database: Database.Database, wholeBytes: number): string[][] {
  const number = (pragma: string) => database.pragma(pragma, { simple: true }) as number;
  const isLarge = number('page_count') * number('page_size') > wholeBytes;
  const whole = isLarge
    ? tablesOf(database).map((table) => `quick_check(${table})`)
    : ['integrity_check(1)'];
  const found = whole.map((check) => firstColumn(database.pragma(check)));
  if (found.flat().some((line) => line !== 'ok')) return found;
  const lost = (database.pragma('foreign_key_check') as unknown[]).length;
  if (lost > 0) return [[`${lost} rows belong to entries that are not there`]];
  // Older versions have other columns: they are looked at once they are brought to this one.
  const isNow = number('user_version') === migrations.length;
  return isNow ? [database.prepare<[], string>(ROWS).pluck().all()] : [];
}

/** An older version has fewer. */
function tablesOf(database: Database.Database): string[] {
  const there = database.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
  return TABLES.filter((table) => there.includes(table));
}

function firstColumn(rows: unknown): string[] {
  return (rows as Record<string, unknown>[]).map((row) => String(Object.values(row)[0]));
}
