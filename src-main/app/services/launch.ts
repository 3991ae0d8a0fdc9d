import type { Launch } from '../../shared/contract/app-calls.ts';

/** The scheme of links to a saved view, registered by the desktop. */
export const LINK_SCHEME = 'stalltrace';
/** Longer than any view is; what a browser hands over may come from any page. */
const MAX_LINK_LENGTH = 100_000;

/** Whether an argument is a link to a view, no file. */
export function isLink(argument: string): boolean {
  return argument.toLowerCase().startsWith(`${LINK_SCHEME}:`);
}

/**
 * What was asked for: the file at a path, or for `stalltrace:…#‹view›` the view, `#` included. A link
 * without a view, or too long to be one, leads to the library: its hash is empty.
 */
export function launchOf(argument: string): Launch {
  if (!isLink(argument)) return { kind: 'file', path: argument };
  const hash = argument.length > MAX_LINK_LENGTH ? '' : (URL.parse(argument)?.hash ?? '');
  return { kind: 'link', hash };
}
