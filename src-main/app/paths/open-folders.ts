import { sep } from 'node:path';
import type { HostPlatform } from '../../shared/platform.ts';
import { realPath } from '../../system/real-path.ts';

export interface OpenFoldersOptions {
  /** Files that may be opened wherever they are. */
  readonly files: readonly string[];
  /** Folders with all that is in them. */
  readonly folders: readonly string[];
  /** Folders of Stalltrace's own: allowed, but no place to name to the user. */
  readonly ownFolders: readonly string[];
}

/** Limits a host to some folders. Links are resolved here, once: what is asked about has none left. */
export async function limitToFolders(
  options: OpenFoldersOptions,
): Promise<Pick<HostPlatform, 'mayOpen' | 'openFolders'>> {
  const files = new Set(await Promise.all(options.files.map(realPath)));
  const openFolders = [...new Set(await Promise.all(options.folders.map(realPath)))];
  const roots = [...openFolders, ...(await Promise.all(options.ownFolders.map(realPath)))];
  return {
    openFolders,
    mayOpen: (path) => files.has(path) || roots.some((root) => isUnder(root, path)),
  };
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
