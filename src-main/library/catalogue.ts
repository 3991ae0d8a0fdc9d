import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Investigation } from '../shared/investigation.ts';
import type { CatalogueEntry } from '../shared/process-contract.ts';
import { describeThrown, fail, ok, type Result } from '../shared/result.ts';
import { migrations } from './migrations.ts';

type Unavailable = 'library-unavailable';

/** The list of investigations, in `library.db` of the user's data folder; shared by all hosts at once. */
export interface Catalogue {
  list(): Result<Investigation[], Unavailable>;
  find(id: number): Result<Investigation, Unavailable | 'not-found'>;
  put(entry: CatalogueEntry, opened: boolean): Result<Investigation, Unavailable>;
  remove(id: number): Result<null, Unavailable | 'not-found' | 'sample-stays'>;
  close(): void;
}

interface Row {
  id: number;
  path: string;
  name: string;
  format: string;
  size_bytes: number;
  added_at: string;
  opened_at: string | null;
  recorded_at: string | null;
  length_ns: number | null;
  machine: string | null;
  gpu: string | null;
  sample: number;
  synthetic: number;
}

const PUT = `
  INSERT INTO investigation
    (path, name, format, size_bytes, added_at, opened_at, recorded_at, length_ns, machine, gpu, sample, synthetic)
  VALUES
    (@path, @name, @format, @sizeBytes, @now, iif(@opened, @now, NULL), @recordedAt, @lengthNs, @machine, @gpu, @sample, @synthetic)
  ON CONFLICT (path) DO UPDATE SET
    format = excluded.format, size_bytes = excluded.size_bytes, recorded_at = excluded.recorded_at,
    opened_at = coalesce(excluded.opened_at, opened_at), length_ns = excluded.length_ns,
    machine = excluded.machine, gpu = excluded.gpu, synthetic = excluded.synthetic,
    name = iif(excluded.sample > sample, excluded.name, name), sample = max(sample, excluded.sample)
  RETURNING *`;

/** Opens or creates the catalogue. Fails with one sentence where the folder or the file is unusable. */
export function openCatalogue(dataFolder: string): Result<Catalogue, Unavailable> {
  const path = join(dataFolder, 'library.db');
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const database = new Database(path, { timeout: 5000 });
    const version = database.pragma('user_version', { simple: true }) as number;
    if (version > migrations.length) {
      database.close();
      return fail(
        'library-unavailable',
        `The library ${path} was written by a newer Stalltrace (version ${version}, this one knows ${migrations.length}): update Stalltrace, or set STALLTRACE_DATA_DIR to another folder.`,
      );
    }
    database.pragma('journal_mode = WAL');
    migrate(database);
    return ok(createCatalogue(database, path));
  } catch (thrown) {
    return unavailable(path, thrown);
  }
}

/** One transaction that looks again at the version inside it: two hosts may start at the same time. */
function migrate(database: Database.Database): void {
  const run = database.transaction(() => {
    const version = database.pragma('user_version', { simple: true }) as number;
    for (const step of migrations.slice(version)) database.exec(step);
    database.pragma(`user_version = ${migrations.length}`);
  });
  run.immediate();
}

function createCatalogue(database: Database.Database, path: string): Catalogue {
  function guarded<T, Code extends string>(
    action: () => Result<T, Code>,
  ): Result<T, Code | Unavailable> {
    try {
      return action();
    } catch (thrown) {
      return unavailable(path, thrown);
    }
  }
  const byId = database.prepare<[number], Row>('SELECT * FROM investigation WHERE id = ?');
  const all = database.prepare<[], Row>(
    'SELECT * FROM investigation ORDER BY coalesce(opened_at, added_at) DESC, id DESC',
  );
  const put = database.prepare<[Record<string, unknown>], Row>(PUT);
  const remove = database.prepare<[number]>('DELETE FROM investigation WHERE id = ?');
  return {
    list: () => guarded(() => ok(all.all().map(toInvestigation))),
    find: (id) =>
      guarded(() => {
        const row = byId.get(id);
        return row === undefined ? notFound(id) : ok(toInvestigation(row));
      }),
    put: (entry, opened) =>
      guarded(() => {
        const row = put.get(parametersOf(entry, opened));
        if (row === undefined) throw new Error('the catalogue returned no row');
        return ok(toInvestigation(row));
      }),
    remove: (id) =>
      guarded(() => {
        const row = byId.get(id);
        if (row?.sample === 1 && existsSync(row.path)) return sampleStays();
        return remove.run(id).changes === 0 ? notFound(id) : ok(null);
      }),
    close: () => database.close(),
  };
}

function parametersOf(entry: CatalogueEntry, opened: boolean): Record<string, unknown> {
  return {
    ...entry,
    opened: opened ? 1 : 0,
    now: new Date().toISOString(),
    recordedAt: entry.recordedAt ?? null,
    lengthNs: entry.lengthNs ?? null,
    machine: entry.machine ?? null,
    gpu: entry.gpu ?? null,
    sample: entry.sample ? 1 : 0,
    synthetic: entry.synthetic ? 1 : 0,
  };
}

function toInvestigation(row: Row): Investigation {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    format: row.format,
    sizeBytes: row.size_bytes,
    addedAt: row.added_at,
    ...(row.opened_at !== null && { openedAt: row.opened_at }),
    ...(row.recorded_at !== null && { recordedAt: row.recorded_at }),
    ...(row.length_ns !== null && { lengthNs: row.length_ns }),
    ...(row.machine !== null && { machine: row.machine }),
    ...(row.gpu !== null && { gpu: row.gpu }),
    sample: row.sample === 1,
    synthetic: row.synthetic === 1,
    missing: !existsSync(row.path),
  };
}

function notFound(id: number): Result<never, 'not-found'> {
  return fail('not-found', `Investigation ${id} is no longer in the library: reload the list.`);
}

function sampleStays(): Result<never, 'sample-stays'> {
  return fail('sample-stays', 'The sample comes with Stalltrace and stays in the library.');
}

function unavailable(path: string, thrown: unknown): Result<never, Unavailable> {
  return fail('library-unavailable', unavailableSentence(path, thrown), describeThrown(thrown));
}

function unavailableSentence(path: string, thrown: unknown): string {
  const code = (thrown as { code?: string } | null)?.code ?? '';
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return `The disk that holds the library ${path} is full: free some space and try again.`;
  }
  if (/READONLY|CANTOPEN|EACCES|EROFS|EPERM|ENOTDIR|PERM/.test(code)) {
    return `The library ${path} can't be written: check the folder's permissions, or set STALLTRACE_DATA_DIR to a folder of yours.`;
  }
  if (code === 'SQLITE_BUSY') {
    return `The library ${path} is held by another program: close it and try again.`;
  }
  if (/CORRUPT|NOTADB/.test(code)) {
    return `The library ${path} is damaged: move it away and Stalltrace starts a new one; your trace files are not touched.`;
  }
  return `The library ${path} can't be used.`;
}
