import { resolve } from 'node:path';
import { isLink } from '../app/launch.ts';

/**
 * The files a command line names, as absolute paths, and its `stalltrace:` links. Chromium adds switches of its own to a second
 * instance's line, in any place, so those go first, then the executable and in development the
 * app's folder or entry.
 */
export function fileArguments(
  argv: readonly string[],
  workingFolder: string,
  isPackaged: boolean,
): string[] {
  return argv
    .filter((argument) => !argument.startsWith('-'))
    .slice(isPackaged ? 1 : 2)
    .map((argument) => (isLink(argument) ? argument : resolve(workingFolder, argument)));
}
