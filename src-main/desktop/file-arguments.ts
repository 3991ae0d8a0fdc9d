import { resolve } from 'node:path';
import { isLink } from '../app/services/launch.ts';

/** Ends the options of a command line: to Chromium, and to us. */
const END_OF_OPTIONS = '--';

/**
 * The files a command line names, as absolute paths, and its `stalltrace:` links. Chromium adds switches of its own to a second
 * instance's line, in any place before `--`, so those go first, then the executable and in development the
 * app's folder or entry.
 */
export function fileArguments(
  argv: readonly string[],
  workingFolder: string,
  isPackaged: boolean,
): string[] {
  const end = argv.indexOf(END_OF_OPTIONS);
  const before = (end < 0 ? argv : argv.slice(0, end))
    .filter((argument) => !argument.startsWith('-'))
    .slice(isPackaged ? 1 : 2);
  const after = end < 0 ? [] : argv.slice(end + 1);
  return [...before, ...asData(after)].map((argument) =>
    isLink(argument) ? argument : resolve(workingFolder, argument),
  );
}

/**
 * What stands after `--`. Where that begins with a link, the system wrote it, and all of it is from
 * whoever made the link: a quote or a space in it can end an argument, so the rest names no file.
 */
function asData(after: readonly string[]): readonly string[] {
  const [first = ''] = after;
  return isLink(first) ? [first] : after;
}
