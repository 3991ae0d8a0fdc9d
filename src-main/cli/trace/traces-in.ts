import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import {
  hiddenWords,
  isHidden,
  mayBeTrace,
  naturally,
} from '../../shared/library/files-of-folder.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { upperFirst } from '../../shared/text/text.ts';

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

interface TracesIn {
  /** Of the files that may be traces, rank2 before rank10. */
  readonly names: readonly string[];
  /** Which are not looked at, and why: sentences. */
  readonly skipped: readonly string[];
}

/** The files of a folder; not of folders in it. */
export async function tracesIn(folder: string): Promise<Result<TracesIn>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined)
    return fail('file-unreadable', `The folder ${folder} cannot be read. Name its files instead.`);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const hidden = files.filter(isHidden).sort(naturally);
  return ok({
    names: files.filter(mayBeTrace).sort(naturally),
    skipped: hidden.length === 0 ? [] : [`${upperFirst(hiddenWords(hidden))}.`],
  });
}
