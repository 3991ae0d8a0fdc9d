import {
  type Investigation,
  type SearchMatch,
  shownVerdict,
} from '../../shared/library/investigation.ts';
import {
  ENTRIES,
  type EntryRow,
  LAST_USED_FIRST,
  tagsOf,
  verdictsOf,
} from '../store/entry-rows.ts';
import { type Store, toInvestigations } from '../store/store.ts';
import { createFinder } from '../store/words.ts';
import { findBest } from './excerpt.ts';

/** Entries found by one term: the row of the first note that holds it, or `null` for another field. */
type Found = Map<number, number | null>;

const FOUND = `
  ${ENTRIES} WHERE removed_at IS NULL AND id IN (SELECT value FROM json_each(?)) ${LAST_USED_FIRST}`;

/**
 * The entries on the list that hold every term in one of their texts, each with the place where most
 * of them stand. `terms`: made by words.ts, hence safe inside a query.
 */
export async function searchEntries(
  store: Store,
  terms: readonly string[],
): Promise<Investigation[]> {
  const { database } = store;
  const { rows, matches } = database.transaction(() => {
    const found = terms.map((term) => findTerm(store, term));
    const ids = [...(found[0]?.keys() ?? [])].filter((id) => found.every((each) => each.has(id)));
    const rows = database.prepare<[string], EntryRow>(FOUND).all(JSON.stringify(ids));
    return { rows, matches: findMatches(store, rows, terms, found) };
  })();
  const investigations = await toInvestigations(store, rows);
  return investigations.map((investigation) => {
    const match = matches.get(investigation.id);
    return match === undefined ? investigation : { ...investigation, match };
  });
}

/** The words of a term, all of them in one row of the index; the last may be begun only. */
function queryOf(term: string): string {
  return `"${term.split(' ').join('" AND "')}"*`;
}

function findTerm(store: Store, term: string): Found {
  return term.includes(' ') ? findAdjacent(store, term) : findWord(store, term);
}

const NOTES_WITH = `
  SELECT note.investigation AS id, min(note.row) AS note
  FROM note_words CROSS JOIN note ON note.row = note_words.rowid
  WHERE note_words MATCH ? GROUP BY note.investigation`;

function notesWith({ database }: Store, query: string): Iterable<{ id: number; note: number }> {
  return database.prepare<[string], { id: number; note: number }>(NOTES_WITH).iterate(query);
}

function findWord(store: Store, word: string): Found {
  const query = queryOf(word);
  const found: Found = new Map();
  for (const { id, note } of notesWith(store, query)) found.set(id, note);
  const entries = store.database
    .prepare<[string], number>('SELECT rowid FROM entry_words WHERE entry_words MATCH ?')
    .pluck();
  for (const id of entries.iterate(query)) if (!found.has(id)) found.set(id, null);
  return found;
}

const NOTE_TEXTS_WITH = `
  SELECT note.investigation AS id, note.row AS note, note.text AS text
  FROM note_words CROSS JOIN note ON note.row = note_words.rowid
  WHERE note_words MATCH ? ORDER BY note.row`;
const ENTRIES_WITH = `
  ${ENTRIES} WHERE id IN (SELECT rowid FROM entry_words WHERE entry_words MATCH ?)`;

/** The index knows words, not their order: that is looked for in the texts themselves. */
function findAdjacent(store: Store, term: string): Found {
  const { database } = store;
  const find = createFinder([term]);
  const query = queryOf(term);
  const found: Found = new Map();
  const notes = database.prepare<[string], { id: number; note: number; text: string }>(
    NOTE_TEXTS_WITH,
  );
  for (const { id, note, text } of notes.iterate(query))
    if (!found.has(id) && find(text) !== undefined) found.set(id, note);
  const rows = database.prepare<[string], EntryRow>(ENTRIES_WITH).all(query);
  const left = rows.filter(({ id }) => !found.has(id));
  for (const row of left) {
    if (shownTexts(row).some(({ parts }) => parts.some((part) => find(part))))
      found.set(row.id, null);
  }
  const unseen = left.map(({ id }) => id).filter((id) => !found.has(id));
  for (const { id, parts } of unseenTexts(store, unseen))
    if (parts.some((part) => find(part))) found.set(id, null);
  return found;
}

interface FieldText {
  readonly field: SearchMatch['field'];
  /** Texts of their own: a term does not reach from one to the next. */
  readonly parts: readonly string[];
}

function verdictText(row: EntryRow): string {
  const shown = shownVerdict(verdictsOf(row));
  return shown === undefined ? '' : `${shown.kind} ${shown.text}`.trim();
}

/** What the list shows of an entry. */
function shownTexts(row: EntryRow): readonly FieldText[] {
  return [
    { field: 'name', parts: [row.name] },
    { field: 'tags', parts: tagsOf(row) },
    { field: 'verdict', parts: [verdictText(row)] },
    { field: 'gpu', parts: [row.gpu ?? ''] },
    { field: 'machine', parts: [row.machine ?? ''] },
    { field: 'format', parts: [row.format] },
  ];
}

const NOTE_TEXTS = `
  SELECT investigation AS id, text FROM note WHERE row IN (SELECT value FROM json_each(?))
  ORDER BY row`;
const UNSEEN = `
  SELECT id, cpu, processes FROM investigation WHERE id IN (SELECT value FROM json_each(?))`;

function* unseenTexts(
  { database }: Store,
  ids: readonly number[],
): Generator<FieldText & { readonly id: number }> {
  const rows = database.prepare<[string], { id: number; cpu: string | null; processes: string }>(
    UNSEEN,
  );
  for (const { id, cpu, processes } of rows.iterate(JSON.stringify(ids))) {
    yield { id, field: 'cpu', parts: [cpu ?? ''] };
    yield { id, field: 'processes', parts: JSON.parse(processes) as string[] };
  }
}

/** The field with most of the terms; of equals what is on the screen anyway, notes, then the rest. */
function findMatches(
  store: Store,
  rows: readonly EntryRow[],
  terms: readonly string[],
  found: readonly Found[],
): Map<number, SearchMatch> {
  const best = new Map<number, { match: SearchMatch; count: number }>();
  const find = findBest(terms);
  const look = (id: number, { field, parts }: FieldText) => {
    const known = best.get(id)?.count ?? 0;
    if (known === terms.length) return;
    const place = find(parts.join(', '));
    if (place !== undefined && place.count > known)
      best.set(id, { match: { field, ...place.piece }, count: place.count });
  };
  for (const row of rows) for (const text of shownTexts(row)) look(row.id, text);
  const open = () => rows.filter(({ id }) => (best.get(id)?.count ?? 0) < terms.length);
  const notes = notesToRead(store, open(), terms, found);
  const noteTexts = store.database.prepare<[string], { id: number; text: string }>(NOTE_TEXTS);
  for (const { id, text } of noteTexts.iterate(JSON.stringify(notes)))
    look(id, { field: 'notes', parts: [text] });
  for (const text of unseenTexts(
    store,
    open().map(({ id }) => id),
  ))
    look(text.id, text);
  return new Map([...best].map(([id, { match }]) => [id, match]));
}

/** Of each entry the first note with all the terms, and the first with each of them. */
function notesToRead(
  store: Store,
  rows: readonly EntryRow[],
  terms: readonly string[],
  found: readonly Found[],
): readonly number[] {
  const notes = new Set<number>();
  for (const { id } of rows)
    for (const each of found) {
      const note = each.get(id);
      if (note != null) notes.add(note);
    }
  if (terms.length === 1) return [...notes];
  const ids = new Set(rows.map(({ id }) => id));
  for (const { id, note } of notesWith(store, terms.map(queryOf).join(' AND ')))
    if (ids.has(id)) notes.add(note);
  return [...notes];
}
