import { open } from 'node:fs/promises';
import { errnoOf } from './errno.ts';

/** Some network drives and FUSE can't flush a folder; one that may be written need not be readable. */
const CANNOT = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EPERM']);

/**
 * Puts a folder's names on the disk, so that a rename outlives a power cut, where that can be done: Windows
 * opens no folders. Throws where the disk fails: what the folder holds then is not known.
 */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(folder);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (!CANNOT.has(errnoOf(thrown))) throw thrown;
  }
}
