import type { LibraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { indexEntry } from '../store/search-index.ts';
import { type Store, write } from '../store/store.ts';

const NOTE_FOUND = `
  UPDATE investigation SET found_kind = @kind, found_text = @text
  WHERE id = @id AND removed_at IS NULL AND (found_kind IS NOT @kind OR found_text IS NOT @text)`;

/** Keeps what the analysis found beside the user's own verdict; whether it was not known yet. */
export function noteFound(
  store: Store,
  { id, found: { kind, text } }: ArgumentsOf<LibraryProcessCalls, 'noteFound'>,
): Result<boolean, never> {
  const { database } = store;
  return write(store, () => {
    const values = { id, kind, text: cleanText(text, 300) };
    const isNews = database.prepare(NOTE_FOUND).run(values).changes > 0;
    if (isNews) indexEntry(database, id);
    return ok(isNews);
  });
}
