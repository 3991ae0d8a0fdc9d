import { cleanText } from './text.ts';

/** Below the 255 bytes of a name on every common file system, with room for what follows. */
const MAX_BYTES = 150;
/** Of a name, what is looked at, in UTF-16 code units. */
const MAX_LENGTH = 4096;
/** Devices of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
export const RESERVED_NAME =
  /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;

/**
 * Every file made of the investigation `run 7.db` begins alike: `run 7 report.md`,
 * `run 7 timeline.png`, `run 7.stalltrace`. What hides private words names none: GitHub shows the
 * name of a file that is dropped on it.
 */
export function fileNameFor(investigation: string, what: string, hidePrivate: boolean): string {
  return `${hidePrivate ? 'Stalltrace' : fileStem(investigation)} ${what}`;
}

/** A name without a trace's extension and without what file systems forbid or hide. */
export function fileStem(name: string): string {
  const plain = cleanText(name, MAX_LENGTH)
    .replace(/\.(?:db|sqlite3?|stalltrace)$/i, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}._ -]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. -]+/, '');
  const stem = cutToBytes(plain).replace(/[. ]+$/, '');
  return stem === '' ? 'trace' : stem.replace(RESERVED_NAME, '_$&');
}

/** The beginning of a text, between whole characters. */
function cutToBytes(text: string): string {
  const encoder = new TextEncoder();
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > MAX_BYTES) break;
    end += character.length;
  }
  return text.slice(0, end);
}
