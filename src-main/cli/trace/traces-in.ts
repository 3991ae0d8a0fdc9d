import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { mayBeTrace, naturally } from '../../shared/library/files-of-folder.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Names of the files of a folder that may be traces, rank2 before rank10; not of folders in it. */
export async function tracesIn(folder: string): Promise<Result<readonly string[]>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined)
    return fail('file-unreadable', `The folder ${folder} cannot be read. Name its files instead.`);
  const names = entries
    .filter((entry) => entry.isFile() && mayBeTrace(entry.name))
    .map(({ name }) => name);
  return ok(names.sort(naturally));
}
