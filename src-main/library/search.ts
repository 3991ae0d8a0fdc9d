import type { Investigation, SearchMatch } from '../shared/investigation.ts';
import { ENTRIES, type EntryRow, LAST_USED_FIRST, tagsOf } from './entry-rows.ts';
import { excerpt } from './excerpt.ts';
import { type Store, toInvestigations } from './store.ts';
import { createFinder } from './words.ts';

/** Entries found by one word: the row of the first note that holds it, or `null` for another field. */
type Found = Map<number, number | null>;

const FOUND = `
  ${ENTRIES} WHERE removed_at IS NULL AND id IN (SELECT value FROM json_each(?)) ${LAST_USED_FIRST}`;

/**
 * The entries on the list in which every word begins a word of the name, the tags, the verdict, the
 * process names or a note, each with the place of the first hit. `words`: folded by words.ts, hence
 * safe inside a query.
 */
export async function searchEntries(
  store: Store,
  words: readonly string[],
): Promise<Investigation[]> {
  const { database } = store;
  const { rows, matches } = database.transaction(() => {
    const found = words.map((word) => findWord(store, word));
    const ids = [...(found[0]?.keys() ?? [])].filter((id) => found.every((each) => each.has(id)));
    const rows = database.prepare<[string], EntryRow>(FOUND).all(JSON.stringify(ids));
    return { rows, matches: findMatches(store, rows, words, found) };
  })();
  const investigations = await toInvestigations(store, rows);
  return investigations.map((investigation) => {
    const match = matches.get(investigation.id);
    return match === undefined ? investigation : { ...investigation, match };
  });
}

const IN_NOTES = `
  SELECT note.investigation AS id, min(note.row) AS note
  FROM note_words CROSS JOIN note ON note.row = note_words.rowid
  WHERE note_words MATCH ? GROUP BY note.investigation`;

function findWord({ database }: Store, word: string): Found {
  const query = `"${word}"*`;
  const found: Found = new Map();
  const notes = database.prepare<[string], { id: number; note: number }>(IN_NOTES);
  for (const { id, note } of notes.iterate(query)) found.set(id, note);
  const entries = database
    .prepare<[string], number>('SELECT rowid FROM entry_words WHERE entry_words MATCH ?')
    .pluck();
  for (const id of entries.iterate(query)) if (!found.has(id)) found.set(id, null);
  return found;
}

/** Name, tags and verdict first, since these are on the screen anyway; then notes, then processes. */
function findMatches(
  store: Store,
  rows: readonly EntryRow[],
  words: readonly string[],
  found: readonly Found[],
): Map<number, SearchMatch> {
  const matches = new Map<number, SearchMatch>();
  const find = createFinder(words);
  const keep = (id: number, field: SearchMatch['field'], text: string) => {
    const piece = matches.has(id) ? undefined : excerpt(text, find);
    if (piece !== undefined) matches.set(id, { field, ...piece });
  };
  for (const row of rows) {
    keep(row.id, 'name', row.name);
    keep(row.id, 'tags', tagsOf(row).join(', '));
    keep(row.id, 'verdict', `${row.verdict_kind ?? ''} ${row.verdict_text ?? ''}`.trim());
  }
  const inNotes = rows
    .filter(({ id }) => !matches.has(id))
    .map(({ id }) => found.map((entries) => entries.get(id)).find((note) => note != null))
    .filter((note) => note !== undefined);
  for (const { id, text } of textsOf(store, NOTE_TEXTS, inNotes)) keep(id, 'notes', text);
  const inProcesses = rows.map(({ id }) => id).filter((id) => !matches.has(id));
  for (const { id, text } of textsOf(store, PROCESSES, inProcesses)) {
    keep(id, 'processes', (JSON.parse(text) as string[]).join(', '));
  }
  return matches;
}

const NOTE_TEXTS = `
  SELECT investigation AS id, text FROM note WHERE row IN (SELECT value FROM json_each(?))`;
const PROCESSES = `
  SELECT id, processes AS text FROM investigation WHERE id IN (SELECT value FROM json_each(?))`;

function textsOf(
  { database }: Store,
  sql: string,
  keys: readonly (number | null)[],
): Iterable<{ id: number; text: string }> {
  return database
    .prepare<[string], { id: number; text: string }>(sql)
    .iterate(JSON.stringify(keys));
}
