import { mayBeTrace, naturally } from '../../../src-main/shared/library/files-of-folder.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';

/** More than this are not the traces of one job. */
export const MOST_FILES = 200;
/** Of the names in a folder and in its folders so many are looked at, and folders so deep. */
const MOST_NAMES = 5000;
const MOST_DEPTH = 8;

/** What was dropped on the window. */
export interface Dropped {
  readonly files: readonly File[];
  readonly folders: readonly FileSystemDirectoryEntry[];
}

/** To be asked for while the event is handled: afterwards the browser tells nothing of it. */
export function droppedIn({ items, files }: DataTransfer): Dropped {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const folders = entries.filter(isFolder);
  if (folders.length === 0) return { files: [...files], folders };
  // A folder stands among the files too, as one that nobody can read.
  const names = new Set(folders.map(({ name }) => name));
  return { files: [...files].filter(({ name }) => !names.has(name)), folders };
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/** Files of a folder and of the folders in it that may be traces, rank2 before rank10. */
export async function filesOfFolder(
  folder: FileSystemDirectoryEntry,
): Promise<Result<readonly File[], 'file-unreadable' | 'file-unsupported'>> {
  const name = `The folder “${cleanText(folder.name)}”`;
  try {
    const found = await filesIn(folder);
    if (found === undefined || found.length > MOST_FILES)
      return fail(
        'file-unsupported',
        `${name} has more than ${MOST_FILES} files, or too many folders: drop one with the traces of one job alone.`,
      );
    if (found.length === 0)
      return fail('file-unsupported', `${name} has no files: drop one that holds traces.`);
    return ok(await Promise.all(found.map(fileOf)));
  } catch (thrown) {
    if (!(thrown instanceof DOMException)) throw thrown;
    return fail('file-unreadable', `${name} can’t be read: drop the traces that are in it.`);
  }
}

/** In the order of their paths; undefined where there are too many names to look at. */
async function filesIn(
  folder: FileSystemDirectoryEntry,
): Promise<readonly FileSystemFileEntry[] | undefined> {
  const found: FileSystemFileEntry[] = [];
  const open = [{ folder, depth: 1 }];
  let names = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    for await (const entries of entriesOf(next.folder)) {
      names += entries.length;
      if (names > MOST_NAMES) return undefined;
      const seen = entries.filter((entry) => mayBeTrace(entry.name));
      found.push(...seen.filter(isFile));
      if (depth < MOST_DEPTH)
        open.push(...seen.filter(isFolder).map((inner) => ({ folder: inner, depth: depth + 1 })));
    }
  }
  return found.sort((a, b) => naturally(a.fullPath, b.fullPath));
}

/** A reader gives some of the entries each time, and none once it has given all. */
async function* entriesOf(
  folder: FileSystemDirectoryEntry,
): AsyncGenerator<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  for (;;) {
    const entries = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    yield entries;
  }
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject));
