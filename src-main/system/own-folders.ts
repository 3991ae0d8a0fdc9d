import { chmodSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OTHERS = 0o077;

/** Whether no stranger put it there: it, or the link to it, is the user's, root's, or its parent's owner's. */
export function isOwnFolder(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return false;
  const trusted = [0, process.getuid?.(), statSync(dirname(path)).uid];
  return process.getuid === undefined || trusted.includes(status.uid);
}

/** Closes folders of ours to others, where an older version left them open; a link is left alone. */
export function closeFolders(parent: string, names: readonly string[]): void {
  if (process.getuid === undefined) return;
  for (const path of names.map((name) => join(parent, name))) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (!status?.isDirectory() || status.uid !== process.getuid()) continue;
    if ((status.mode & OTHERS) !== 0) chmodSync(path, status.mode & ~OTHERS & 0o7777);
  }
}
