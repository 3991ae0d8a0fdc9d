import { statfs } from 'node:fs/promises';

/** Left free for everybody else on a disk that takes what comes from elsewhere. */
export const SPARE_BYTES = 2 ** 28;

/** What this user may still write to the disk that `folder` is on. */
export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
