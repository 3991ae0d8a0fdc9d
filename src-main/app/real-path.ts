import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** `path` made absolute, with the links of what exists of it resolved. */
export async function realPath(path: string): Promise<string> {
  const absolute = resolve(path);
  const real = await realpath(absolute).catch(() => undefined);
  if (real !== undefined) return real;
  const folder = dirname(absolute);
  return folder === absolute ? absolute : join(await realPath(folder), basename(absolute));
}

/** Likewise, for the few paths that are needed before anything runs. */
export function realPathNow(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const folder = dirname(absolute);
    return folder === absolute ? absolute : join(realPathNow(folder), basename(absolute));
  }
}
