import { lstatSync, type StatSyncOptions, statSync } from 'node:fs';

const IF_THERE = { throwIfNoEntry: false } as const satisfies StatSyncOptions;

/** Which file the catalogue is: another one that takes its name is not the one that is open. */
export interface CatalogueFile {
  isThere(): boolean;
  /** Whether its folder is the one it was, and no empty place where a disk is mounted. */
  isFolderThere(): boolean;
}

export function catalogueFile(path: string, folder: string): CatalogueFile {
  const file = identify(path);
  const home = identify(folder);
  return {
    isThere: () => file !== undefined && identify(path) === file,
    isFolderThere: () => home !== undefined && identify(folder) === home,
  };
}

function identify(path: string): string | undefined {
  try {
    const status = statSync(path, IF_THERE);
    return status && `${status.dev}:${status.ino}`;
  } catch {
    return undefined;
  }
}

/** Changes with whatever is written to the catalogue or its log. */
export function stateOfFiles(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => {
      try {
        const status = lstatSync(file, IF_THERE);
        return status && `${status.dev}:${status.ino}:${status.size}:${status.mtimeMs}`;
      } catch {
        return undefined;
      }
    })
    .join(' ');
}

export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, IF_THERE)?.size ?? 0) > 0;
}

/** When the catalogue was written last, ms since 1970; an empty log is made by every opening. */
export function writtenAtMs(path: string): number {
  const files = [path, `${path}-wal`].map((file) => statSync(file, IF_THERE));
  return Math.max(0, ...files.map((status) => (status?.size ? status.mtimeMs : 0)));
}
