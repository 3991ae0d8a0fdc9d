import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Nobody but the user enters what Stalltrace makes. */
const OWN = 0o700;

/**
 * Makes `path` and what is missing above it, for the user alone; one that is there keeps its mode.
 * Throws where that can't be done. Node's own `recursive` never returns where a folder that is there
 * answers ENOENT to whoever makes one in it, as /proc does (Node 20 and 24).
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const refused = await mkdir(folder, OWN).then(nothing, itself);
  if (refused === undefined) return;
  if (refused.code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
  if (refused.code !== 'ENOENT' || dirname(folder) === folder) throw refused;
  await makeFolder(dirname(folder));
  // Another process may have made it meanwhile.
  const again = await mkdir(folder, OWN).then(nothing, itself);
  if (again !== undefined && again.code !== 'EEXIST') throw again;
}

/** Likewise, where nothing may run meanwhile. */
export function makeFolderNow(path: string): void {
  const folder = resolve(path);
  const refused = tryNow(folder);
  if (refused === undefined) return;
  if (refused.code === 'EEXIST' && statSync(folder).isDirectory()) return;
  if (refused.code !== 'ENOENT' || dirname(folder) === folder) throw refused;
  makeFolderNow(dirname(folder));
  const again = tryNow(folder);
  if (again !== undefined && again.code !== 'EEXIST') throw again;
}

function tryNow(folder: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(folder, OWN);
    return undefined;
  } catch (thrown) {
    return thrown as NodeJS.ErrnoException;
  }
}

const nothing = () => undefined;
const itself = (thrown: unknown) => thrown as NodeJS.ErrnoException;
