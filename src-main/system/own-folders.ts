import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;

/** Closes folders of ours to others, where an older version left them open; a link is left alone. */
export function closeFolders(parent: string, names: readonly string[]): void {
  if (process.getuid === undefined) return;
  for (const path of names.map((name) => join(parent, name))) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (!status?.isDirectory() || status.uid !== process.getuid()) continue;
    if ((status.mode & OTHERS) !== 0) chmodSync(path, status.mode & ~OTHERS & 0o7777);
  }
}
