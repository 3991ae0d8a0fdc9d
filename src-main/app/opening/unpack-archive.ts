import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive, type UnpackedArchive } from '../../archive/read-archive.ts';
import type { ReadArchiveError } from '../../archive/read-failure.ts';
import type { SavedEvent } from '../../shared/library/saved-event.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { safeName } from '../file-store/safe-name.ts';

/** A .stalltrace file that was unpacked to a folder, its names made harmless to read. */
export interface Unpacked extends Omit<UnpackedArchive, 'traceName'> {
  /** The name of the file at `tracePath`. */
  readonly fileName: string;
}

/** Unpacks the .stalltrace file at `path` into `folder`, which is empty; on failure it still is. */
export async function unpackArchive(
  path: string,
  folder: string,
  context: CallContext,
): Promise<Result<Unpacked, ReadArchiveError>> {
  const read = await readArchive(path, folder, context);
  if (!read.ok) return read;
  const { traceName, ...archive } = read.value;
  const fileName = safeName(traceName);
  const tracePath = join(folder, fileName);
  await rename(archive.tracePath, tracePath);
  return ok({ ...archive, ...readable(archive), tracePath, fileName });
}

/** What lists and badges show. Notes stay as they were written: whoever draws Markdown cleans it. */
function readable({ name, tags, verdict, notes, view }: Omit<UnpackedArchive, 'traceName'>) {
  return {
    name: cleanText(name, 200),
    tags: tags.map((tag) => cleanText(tag, 50)),
    notes: notes.map(withReadableEvent),
    ...(verdict !== undefined && { verdict: { ...verdict, text: cleanText(verdict.text, 300) } }),
    ...(view !== undefined && { view: withReadableEvent(view) }),
  };
}

function withReadableEvent<T extends { readonly event?: SavedEvent | undefined }>(saved: T): T {
  if (saved.event === undefined) return saved;
  return { ...saved, event: { ...saved.event, label: cleanText(saved.event.label, 300) } };
}
