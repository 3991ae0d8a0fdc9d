import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * A file's bytes; undefined where it is no plain file, or larger than `mostBytes`. Throws Node's error
 * where it can't be opened. A pipe would keep whoever opens it waiting, a device never end.
 */
export async function readPlainFile(path: string, mostBytes: number): Promise<Buffer | undefined> {
  // Windows has no such flag.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    return stat.isFile() && stat.size <= mostBytes ? await file.readFile() : undefined;
  } finally {
    await file.close();
  }
}
