import { RESERVED_NAME } from '../../shared/text/file-name.ts';
import { cleanText } from '../../shared/text/text.ts';

/** Below the 255 bytes of a name on every common file system, with room for what SQLite appends. */
const MAX_BYTES = 200;
const MAX_EXTENSION_LENGTH = 16;

/** Beside a copy that was never listed: its folder has it until an entry names the copy. */
export const UNLISTED = '.unlisted';

/** A file name that stays in its folder and can be shown: the user's own wherever that is possible. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = cleanText(last, 4096)
    .replaceAll(/[:*?"<>|]/g, '_')
    .trimStart()
    // Windows drops these: the name would not be the one that was written.
    .replace(/[. ]+$/, '');
  return plain === '' || isUnlisted(plain)
    ? 'trace.db'
    : shorten(plain.replace(RESERVED_NAME, '_$&'));
}

/** Whether a file system that folds case, and alike letters as `ſ` and `s`, would take it for the mark. */
function isUnlisted(name: string): boolean {
  return name.normalize('NFKC').toLowerCase() === UNLISTED;
}

/** Cuts what stands before the extension, between whole characters. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION_LENGTH ? name.slice(dot) : '';
  let budget = MAX_BYTES - Buffer.byteLength(`…${extension}`);
  let stem = '';
  for (const character of name) {
    budget -= Buffer.byteLength(character);
    if (budget < 0) break;
    stem += character;
  }
  return `${stem}…${extension}`;
}
