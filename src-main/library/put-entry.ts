import type { CatalogueEntry } from '../shared/contract/library-process-calls.ts';
import { ok, type Result } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { factsNow } from './store/file-facts.ts';
import { indexEntry } from './store/search-index.ts';
import { findRow, notFound, type Store, write } from './store/store.ts';

interface Known {
  id: number;
  path: string;
  storage: 'copied' | 'referenced';
}

/** The one on the list before those that were removed, of these the last. */
const KNOWN = `
  SELECT id, path, storage FROM investigation WHERE path IN (@absolute, @relative)
  ORDER BY removed_at IS NOT NULL, removed_at DESC, id LIMIT 1`;

const INSERT = `
  INSERT INTO investigation
    (path, storage, name, format, size_bytes, added_at, recorded_at, length_ns, machine, cpu, gpu,
     processes, sample, synthetic, simulated, origin, folder, sha256, hashed_size, hashed_mtime_us)
  VALUES
    (@path, @storage, @name, @format, @sizeBytes, @now, @recordedAt, @lengthNs,
     @machine, @cpu, @gpu, @processes, @sample, @synthetic, @simulated, @origin, @folder, @sha256,
     @hashedSize, @hashedMtimeUs)`;

/** The user's own name stays, except that the sample keeps its own; a known hash stays as well. */
const UPDATE = `
  UPDATE investigation SET
    path = @path, storage = @storage, format = @format, size_bytes = @sizeBytes,
    opened_at = iif(@opened, @now, opened_at), recorded_at = @recordedAt, length_ns = @lengthNs,
    machine = @machine, cpu = @cpu, gpu = @gpu, processes = @processes, synthetic = @synthetic,
    simulated = @simulated, origin = coalesce(@origin, origin), folder = coalesce(@folder, folder),
    name = iif(@sample > sample, @name, name), sample = max(sample, @sample),
    hashed_size = iif(@sha256 IS NULL, hashed_size, @hashedSize),
    hashed_mtime_us = iif(@sha256 IS NULL, hashed_mtime_us, @hashedMtimeUs),
    sha256 = coalesce(@sha256, sha256),
    found_kind = iif(@sizeBytes = size_bytes, found_kind, NULL),
    found_text = iif(@sizeBytes = size_bytes, found_text, NULL),
    damage = NULL, removed_at = NULL, trash_file = 0, removal_taken = 0
  WHERE id = @id`;

/** Adds the entry or brings the one of the same file up to date. */
export function putEntry(
  store: Store,
  entry: CatalogueEntry,
): { readonly id: number; readonly wasKnown: boolean } {
  const { database, paths } = store;
  return write(store, () => {
    const known = database.prepare<[Record<string, unknown>], Known>(KNOWN).get({
      absolute: entry.path,
      relative: paths.relative(entry.path) ?? entry.path,
    });
    // A file of the library's own stays that, whoever opens it by its path.
    const storage = known?.storage === 'copied' ? 'copied' : entry.storage;
    const values = valuesOf(store, { ...entry, storage });
    const id = known === undefined ? insert(database, values) : update(database, known.id, values);
    indexEntry(database, id);
    return { id, wasKnown: known !== undefined };
  });
}

/** Brings an entry that was opened up to date, unless it was removed or has another file by now. */
export function noteOpened(
  store: Store,
  { id, entry }: { readonly id: number; readonly entry: CatalogueEntry },
): Result<number, 'not-found'> {
  const { database, paths } = store;
  return write(store, () => {
    const row = findRow(store, id);
    if (row === undefined) return notFound(id);
    if (paths.toAbsolute(row.path) === entry.path) {
      update(database, id, { ...valuesOf(store, { ...entry, storage: row.storage }), opened: 1 });
      indexEntry(database, id);
    }
    return ok(id);
  });
}

function insert(database: Store['database'], values: Record<string, unknown>): number {
  return Number(database.prepare(INSERT).run(values).lastInsertRowid);
}

function update(database: Store['database'], id: number, values: Record<string, unknown>): number {
  database.prepare(UPDATE).run({ ...values, id });
  return id;
}

function valuesOf({ paths }: Store, entry: CatalogueEntry): Record<string, unknown> {
  return {
    path: paths.toStored(entry.path, entry.storage),
    storage: entry.storage,
    name: cleanText(entry.name, 200),
    format: entry.format,
    sizeBytes: entry.sizeBytes,
    now: new Date().toISOString(),
    opened: 0,
    recordedAt: entry.recordedAt ?? null,
    lengthNs: entry.lengthNs === undefined ? null : Math.round(entry.lengthNs),
    machine: entry.machine ?? null,
    cpu: entry.cpu ?? null,
    gpu: entry.gpu ?? null,
    processes: JSON.stringify([...new Set(entry.processes)]),
    sample: entry.sample ? 1 : 0,
    synthetic: entry.synthetic ? 1 : 0,
    simulated: entry.simulated ?? null,
    origin: entry.origin === undefined ? null : JSON.stringify(entry.origin),
    folder: entry.folder === undefined ? null : cleanText(entry.folder, 200),
    ...hashValues(entry),
  };
}

interface HashValues {
  readonly sha256: string | null;
  readonly hashedSize: number | null;
  readonly hashedMtimeUs: number | null;
}

/** A hash with the time of the file it belongs to; none where the file is another one by now. */
export function hashValues(
  file: Pick<CatalogueEntry, 'path' | 'sizeBytes' | 'sha256'>,
): HashValues {
  const facts = file.sha256 === undefined ? undefined : factsNow(file.path);
  return facts === undefined || facts.sizeBytes !== file.sizeBytes
    ? { sha256: null, hashedSize: null, hashedMtimeUs: null }
    : {
        sha256: file.sha256 ?? null,
        hashedSize: facts.sizeBytes,
        hashedMtimeUs: facts.modifiedUs,
      };
}
