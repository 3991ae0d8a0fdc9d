import { z } from 'zod';
import { MAX_NOTES, type Note, noteDraft } from '../shared/library/note.ts';
import { type SavedView, savedView } from '../shared/library/view.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { parseJson } from './parse-json.ts';

type Parsed<T> = Result<T, 'archive-damaged'>;

const noteTimes = z.object({ createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() });

/** The notes in the bytes of notes.json: all of them, or the sentence that names the first bad one. */
export function parseNotes(bytes: Uint8Array, shown: string): Parsed<readonly Note[]> {
  const json = parseJson(bytes);
  if (!Array.isArray(json) || json.length > MAX_NOTES) {
    const message = `The notes in “${shown}” are damaged: ask its sender for the file again.`;
    return fail('archive-damaged', message, `no list of up to ${MAX_NOTES} notes`);
  }
  const notes: Note[] = [];
  const ids = new Set<string>();
  for (const [index, value] of json.entries()) {
    const note = parseNote(value);
    if (!note.success) return badNote(value, index, shown, note.problem);
    if (ids.has(note.data.id)) return badNote(value, index, shown, 'its id is another one’s');
    ids.add(note.data.id);
    notes.push(note.data);
  }
  return ok(notes);
}

type ParsedNote =
  | { readonly success: true; readonly data: Note }
  | { readonly success: false; readonly problem: string };

function parseNote(value: unknown): ParsedNote {
  if (typeof value !== 'object' || value === null) return { success: false, problem: 'no object' };
  const { createdAt, updatedAt, ...rest } = value as Record<string, unknown>;
  const draft = noteDraft.safeParse(rest);
  const times = noteTimes.safeParse({ createdAt, updatedAt });
  if (!draft.success) return { success: false, problem: z.prettifyError(draft.error) };
  if (!times.success) return { success: false, problem: z.prettifyError(times.error) };
  return { success: true, data: { ...draft.data, ...times.data } };
}

function badNote(value: unknown, index: number, shown: string, problem: string): Parsed<never> {
  const text = (value as { text?: unknown } | null)?.text;
  const begin = typeof text === 'string' && text !== '' ? ` (“${cleanText(text, 40)}”)` : '';
  const message = `Note ${index + 1}${begin} in “${shown}” is damaged: ask its sender for the file again.`;
  return fail('archive-damaged', message, problem.slice(0, 500));
}

/** The view saved in an archive; `shown` is the archive's name, for what to say of a damaged one. */
export function parseView(bytes: Uint8Array, shown: string): Parsed<SavedView> {
  const parsed = savedView.safeParse(parseJson(bytes));
  if (parsed.success) return ok(parsed.data);
  const message = `The view saved in “${shown}” is damaged: ask its sender for the file again.`;
  return fail('archive-damaged', message, z.prettifyError(parsed.error).slice(0, 500));
}
