import {
  hiddenWords,
  isHidden,
  mayBeTrace,
  naturally,
} from '../../../src-main/shared/library/files-of-folder.ts';
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

interface FolderFiles {
  /** Those that may be traces. */
  readonly files: readonly File[];
  /** Names of those that are passed over since they are hidden. */
  readonly hidden: readonly string[];
}

/** Files of a folder and of the folders in it, rank2 before rank10. */
export async function filesOfFolder(
  folder: FileSystemDirectoryEntry,
): Promise<Result<FolderFiles, 'file-unreadable' | 'file-unsupported'>> {
  const name = `The folder “${cleanText(folder.name)}”`;
  try {
    const found = await filesIn(folder);
    if (found === undefined || found.files.length > MOST_FILES)
      return fail(
        'file-unsupported',
        `${name} has more than ${MOST_FILES} files, or too many folders: drop one with the traces of one job alone.`,
      );
    const hidden = found.hidden.map((entry) => cleanText(entry));
    if (found.files.length === 0) {
      const files = hidden.length === 0 ? 'no files' : `only files that are ${hiddenWords(hidden)}`;
      return fail('file-unsupported', `${name} has ${files}. Drop one that holds traces.`);
    }
    return ok({ files: await Promise.all(found.files.map(fileOf)), hidden });
  } catch (thrown) {
    if (!(thrown instanceof DOMException)) throw thrown;
    return fail('file-unreadable', `${name} can’t be read: drop the traces that are in it.`);
  }
}

/** In the order of their paths; undefined where there are too many names to look at. */
async function filesIn(folder: FileSystemDirectoryEntry) {
  const files: FileSystemFileEntry[] = [];
  const hidden: string[] = [];
  const open = [{ folder, depth: 1 }];
  let names = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    for await (const entries of entriesOf(next.folder)) {
      names += entries.length;
      if (names > MOST_NAMES) return undefined;
      const seen = entries.filter((entry) => mayBeTrace(entry.name));
      files.push(...seen.filter(isFile));
      hidden.push(
        ...entries.filter((each) => isFile(each) && isHidden(each.name)).map((each) => each.name),
      );
      if (depth < MOST_DEPTH)
        open.push(...seen.filter(isFolder).map((inner) => ({ folder: inner, depth: depth + 1 })));
    }
  }
  files.sort((a, b) => naturally(a.fullPath, b.fullPath));
  return { files, hidden: hidden.sort(naturally) };
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
