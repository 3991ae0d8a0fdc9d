import type { FileState, Investigation, Verdict } from '../../shared/library/investigation.ts';
import { captureOrigin } from '../../shared/remote/capture-origin.ts';
import type { FileFacts } from './file-facts.ts';
import { parseStored } from './stored-json.ts';
import type { StoredPaths } from './stored-path.ts';

/** A row of ENTRIES. */
export interface EntryRow {
  id: number;
  path: string;
  storage: 'copied' | 'referenced';
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
  simulated: string | null;
  /** JSON. */
  origin: string | null;
  folder: string | null;
  sha256: string | null;
  hashed_size: number | null;
  hashed_mtime_us: number | null;
  damage: string | null;
  verdict_kind: Verdict['kind'] | null;
  verdict_text: string | null;
  found_kind: Verdict['kind'] | null;
  found_text: string | null;
  /** A JSON array. */
  tags: string;
  notes: number;
}

/** What a list shows of entries; views and process names are read where they are needed. */
export const ENTRIES = `
  SELECT id, path, storage, name, format, size_bytes, added_at, opened_at, recorded_at, length_ns,
    machine, gpu, sample, synthetic, simulated, origin, folder, sha256, hashed_size, hashed_mtime_us, damage,
    verdict_kind, verdict_text, found_kind, found_text,
    (SELECT json_group_array(tag.name) FROM tag WHERE tag.investigation = investigation.id) AS tags,
    (SELECT count(*) FROM note WHERE note.investigation = investigation.id) AS notes
  FROM investigation`;

export const LAST_USED_FIRST = 'ORDER BY coalesce(opened_at, added_at) DESC, id DESC';

const byName = new Intl.Collator('en', { numeric: true });

/** `file`: what is at the entry's path now. */
export function toInvestigation(
  row: EntryRow,
  paths: StoredPaths,
  file: FileFacts | undefined,
): Investigation {
  const state = fileState(row, file);
  return {
    id: row.id,
    name: row.name,
    path: paths.toAbsolute(row.path),
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
    ...(row.simulated !== null && { simulated: row.simulated }),
    ...originOf(row),
    ...(row.folder !== null && { folder: row.folder }),
    storage: row.storage,
    state,
    ...(state === 'damaged' && row.damage !== null && { damage: row.damage }),
    ...(row.sha256 !== null && { sha256: row.sha256 }),
    tags: tagsOf(row),
    ...verdictsOf(row),
    notes: row.notes,
  };
}

/** One that a newer version wrote in another way, or that is damaged, is as good as none. */
function originOf({ origin }: EntryRow): Pick<Investigation, 'origin'> {
  const known = parseStored(origin, captureOrigin);
  return known === undefined ? {} : { origin: known };
}

/** Sorted. */
export function tagsOf(row: Pick<EntryRow, 'tags'>): string[] {
  return row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]).sort(byName.compare);
}

type VerdictColumns = Pick<EntryRow, 'verdict_kind' | 'verdict_text' | 'found_kind' | 'found_text'>;

/** The user's and the analysis's. */
export function verdictsOf(row: VerdictColumns): Pick<Investigation, 'verdict' | 'found'> {
  return {
    ...(row.verdict_kind !== null && {
      verdict: { kind: row.verdict_kind, text: row.verdict_text ?? '' },
    }),
    ...(row.found_kind !== null && {
      found: { kind: row.found_kind, text: row.found_text ?? '' },
    }),
  };
}

function fileState(row: EntryRow, file: FileFacts | undefined): FileState {
  if (file === undefined) return 'missing';
  if (row.damage !== null) return 'damaged';
  if (row.sha256 === null) return 'ok';
  const same = row.hashed_size === file.sizeBytes && row.hashed_mtime_us === file.modifiedUs;
  return same ? 'ok' : 'changed';
}
