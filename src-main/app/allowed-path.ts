import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { HostPlatform } from '../shared/platform.ts';
import { fail, ok, type Result } from '../shared/result.ts';

/** `path` made absolute, links resolved, if the host lets its user open files there. */
export async function allowedPath(
  platform: HostPlatform,
  path: string,
): Promise<Result<string, 'path-not-allowed'>> {
  const wanted = resolve(path);
  const absolute = await realpath(wanted).catch(() => wanted);
  if (platform.mayOpen(absolute)) return ok(absolute);
  return fail(
    'path-not-allowed',
    `${absolute} is outside the folders this host may open: drop the file on the window, or start Stalltrace with --root and its folder.`,
  );
}
