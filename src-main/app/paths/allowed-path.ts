import { dirname } from 'node:path';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText, shortenMiddle } from '../../shared/text/text.ts';
import { realPath } from '../../system/real-path.ts';

/** Longest path in a sentence, in UTF-16 code units. */
const SHOWN_LENGTH = 1_000;
/** What a shell takes as it stands between double quotes, on every system. */
const PLAIN_PATH = /^[^"'$`\\!%^&|<>\p{C}]*$/u;
const PLAIN_WINDOWS_PATH = /^[a-z]:[^"'$`!%^&|<>\p{C}]*$/iu;

/** `path` made absolute, links resolved, if the host lets its user open files there. */
export async function allowedPath(
  platform: HostPlatform,
  path: string,
): Promise<Result<string, 'path-not-allowed'>> {
  const absolute = await realPath(path);
  if (platform.mayOpen(absolute)) return ok(absolute);
  const folders = shown(platform.openFolders?.join(', ') ?? 'none');
  return fail(
    'path-not-allowed',
    `${shown(absolute)} is outside the folders whose files may be opened by path (${folders}): drop the file on the window, or start again with ${howTo(dirname(absolute))}.`,
  );
}

/** The name comes from whoever named the file: a command with it is pasted into a shell. */
function howTo(root: string): string {
  const isPlain = PLAIN_PATH.test(root) || PLAIN_WINDOWS_PATH.test(root);
  return isPlain && root.length <= SHOWN_LENGTH
    ? `\`npm start -- --root "${root}"\` or \`stalltrace serve --root "${root}"\``
    : 'its folder as another --root';
}

function shown(path: string): string {
  return shortenMiddle(cleanText(path, Infinity), SHOWN_LENGTH);
}
