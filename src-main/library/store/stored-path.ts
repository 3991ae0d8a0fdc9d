import { realpathSync } from 'node:fs';
import nodePath, { type PlatformPath } from 'node:path';

/**
 * Paths as the catalogue stores them: those of the library's own files relative to the data folder
 * with '/', so that the folder can be moved as a whole; all others absolute.
 */
export interface StoredPaths {
  /** The path relative to the data folder; `undefined` where it leads out of it. */
  relative(absolute: string): string | undefined;
  toStored(absolute: string, storage: 'copied' | 'referenced'): string;
  toAbsolute(stored: string): string;
}

/** `realFolder`: the same folder without links, as hosts give paths. */
export function createStoredPaths(
  folder: string,
  realFolder = folder,
  paths: PlatformPath = nodePath,
): StoredPaths {
  function relative(absolute: string): string | undefined {
    for (const root of [folder, realFolder]) {
      const inside = paths.relative(root, absolute);
      const leadsOut = inside.split(paths.sep)[0] === '..' || paths.isAbsolute(inside);
      if (inside !== '' && !leadsOut) return inside.split(paths.sep).join('/');
    }
    return undefined;
  }
  return {
    relative,
    toStored: (absolute, storage) =>
      (storage === 'copied' ? relative(absolute) : undefined) ?? absolute,
    toAbsolute: (stored) =>
      paths.isAbsolute(stored) ? stored : paths.join(folder, ...stored.split('/')),
  };
}

/** The folder without links; itself where it can't be resolved. */
export function realFolderOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
