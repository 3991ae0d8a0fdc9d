import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderNow } from '../../system/make-folder.ts';
import {
  hasEnded,
  type ProcessIdentity,
  processIdentityOf,
} from '../../system/process-identity.ts';

const FOLDER_NAME = /^stalltrace-copy-([\w]+)-(\d+)-(\d+)-/;
/** From then on a copy belongs to nobody, whoever made it. */
const STALE_AFTER_MS = 7 * 86_400_000;

/**
 * How the folder of a private copy of that process begins. A scratch folder may lie in a home that
 * several machines or containers share: a process number alone is another process there.
 */
export function copyPrefix({ place, pid, startTime }: ProcessIdentity): string {
  return `stalltrace-copy-${place}-${pid}-${startTime}-`;
}

/** Makes a folder for a private copy in `scratchDir`, which is made where missing, and removes left ones there. */
export function makeCopyFolder(scratchDir: string): string {
  makeFolderNow(scratchDir);
  removeStaleCopies(scratchDir);
  return mkdtempSync(join(scratchDir, copyPrefix(processIdentityOf(process.pid))));
}

/** Removes copies in `scratchDir` whose process of this very machine has ended, and all old ones. */
export function removeStaleCopies(scratchDir: string): void {
  for (const name of readdirSync(scratchDir)) {
    const [, place = '', pid, startTime = '0'] = FOLDER_NAME.exec(name) ?? [];
    const path = join(scratchDir, name);
    const ended = hasEnded({ place, pid: Number(pid), startTime });
    if (ended || (name.startsWith('stalltrace-copy-') && isOld(path)))
      rmSync(path, { recursive: true, force: true });
  }
}

function isOld(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_AFTER_MS;
}
