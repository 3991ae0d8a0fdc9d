import { dirname } from 'node:path';
import type { HostPlatform } from '../shared/platform.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import { realPath } from './real-path.ts';

/** `path` made absolute, links resolved, if the host lets its user open files there. */
export async function allowedPath(
  platform: HostPlatform,
  path: string,
): Promise<Result<string, 'path-not-allowed'>> {
  const absolute = await realPath(path);
  if (platform.mayOpen(absolute)) return ok(absolute);
  const folders = platform.openFolders?.join(', ') ?? 'none';
  const root = JSON.stringify(dirname(absolute));
  return fail(
    'path-not-allowed',
    `${absolute} is outside the folders whose files may be opened by path (${folders}): drop the file on the window, or start again with \`npm start -- --root ${root}\` or \`stalltrace serve --root ${root}\`.`,
  );
}
