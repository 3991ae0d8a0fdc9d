import { open } from 'node:fs/promises';

/** Puts a folder's names on the disk. Windows can't open folders, some network drives can't flush them. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
