import { stat } from 'node:fs/promises';
import { sidecarSuffixes } from '../../trace/sqlite/private-copy.ts';

/**
 * Changes when the file at `path` is replaced or written to: its place on the disk, its size and
 * its time, and those of its logs. `undefined` where there is no file.
 */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const paths = [path, ...sidecarSuffixes.map((suffix) => path + suffix)];
  const [file, ...logs] = await Promise.all(paths.map(identify));
  return file === undefined ? undefined : [file, ...logs].join(' ');
}

async function identify(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
}
