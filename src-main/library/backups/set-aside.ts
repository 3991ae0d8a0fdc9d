import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeBackupFolder } from './backups.ts';

/** What was there before a backup took its place, its log included: it may hold what no backup has. */
export interface SetAside {
  readonly path: string;
}

const LOG = '-wal';

/** Keeps what is there under another name beside the backups. */
export function setAside(target: string, dataFolder: string): SetAside | undefined {
  if (!existsSync(target)) return undefined;
  const when = new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
  const path = join(makeBackupFolder(dataFolder), `replaced-${when}Z-${basename(target)}`);
  try {
    for (const suffix of ['', LOG]) {
      if (existsSync(target + suffix)) linkOrCopy(target + suffix, path + suffix);
    }
  } catch (thrown) {
    forgetAside({ path }, target);
    throw thrown;
  }
  return { path };
}

/** Nothing took the place of `target`, which gets its log back. */
export function forgetAside({ path }: SetAside, target: string): void {
  const lostLog = existsSync(path + LOG) && !existsSync(target + LOG);
  if (lostLog) renameSync(path + LOG, target + LOG);
  // It may be a link to what is written on.
  for (const suffix of ['', LOG]) rmSync(path + suffix, { force: true });
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // FAT and some network drives have no links.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}
