import type Database from 'better-sqlite3';
import { wordsOf } from './words.ts';

/**
 * The full-text index: `entry_words` over an entry's name, tags, verdict, machine, CPU, GPU,
 * format and process names,
 * `note_words` over one note each, so that writing a note costs one note. Callers write in the
 * transaction of the change itself.
 */

interface EntryTexts {
  id: number;
  name: string;
  /** As it is shown: the user's, else the analysis's. */
  verdict_kind: string | null;
  verdict_text: string | null;
  format: string;
  machine: string | null;
  cpu: string | null;
  gpu: string | null;
  /** JSON arrays of strings. */
  tags: string;
  processes: string;
}

const TEXTS = `
  SELECT id, name, format, machine, cpu, gpu, processes,
    coalesce(verdict_kind, found_kind) AS verdict_kind,
    iif(verdict_kind IS NULL, found_text, verdict_text) AS verdict_text,
    (SELECT json_group_array(tag.name) FROM tag WHERE tag.investigation = investigation.id) AS tags
  FROM investigation`;

/** Brings the index of the entry `id` up to date with its row and its tags. */
export function indexEntry(database: Database.Database, id: number): void {
  const texts = database.prepare<[number], EntryTexts>(`${TEXTS} WHERE id = ?`).get(id);
  if (texts !== undefined) writeEntry(database, texts);
}

export function indexAllEntries(database: Database.Database): void {
  for (const texts of database.prepare<[], EntryTexts>(TEXTS).all()) writeEntry(database, texts);
}

function writeEntry(database: Database.Database, texts: EntryTexts): void {
  const all = [
    texts.name,
    ...(JSON.parse(texts.tags) as string[]),
    texts.verdict_kind ?? '',
    texts.verdict_text ?? '',
    texts.format,
    texts.machine ?? '',
    texts.cpu ?? '',
    texts.gpu ?? '',
    ...(JSON.parse(texts.processes) as string[]),
  ];
  database
    .prepare('INSERT OR REPLACE INTO entry_words (rowid, words) VALUES (?, ?)')
    .run(texts.id, indexText(all.join('\n')));
}

/** `row`: note.row. */
export function indexNote(database: Database.Database, row: number, text: string): void {
  database
    .prepare('INSERT OR REPLACE INTO note_words (rowid, words) VALUES (?, ?)')
    .run(row, indexText(text));
}

export function forgetNote(database: Database.Database, row: number): void {
  database.prepare('DELETE FROM note_words WHERE rowid = ?').run(row);
}

/** Before the entry's own row and, with it, its notes are deleted. */
export function forgetEntry(database: Database.Database, id: number): void {
  database.prepare('DELETE FROM entry_words WHERE rowid = ?').run(id);
  database
    .prepare('DELETE FROM note_words WHERE rowid IN (SELECT row FROM note WHERE investigation = ?)')
    .run(id);
}

function indexText(text: string): string {
  return [...wordsOf(text)].join(' ');
}
