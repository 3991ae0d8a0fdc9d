import { MANIFEST_FILE, NOTES_FILE, TRACE_FOLDER, VIEW_FILE } from './manifest.ts';

const FIXED_NAMES: ReadonlySet<string> = new Set([MANIFEST_FILE, NOTES_FILE, VIEW_FILE]);
/** Below the 255 bytes of a name on every common file system. */
const MAX_NAME_BYTES = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const FORBIDDEN = /[\u0000-\u001f\u007f/\\:*?"<>|]/g;

/** Whether an entry of a .stalltrace file may be called so: one of three names, or a plain name in trace/. */
export function isEntryName(name: string): boolean {
  if (FIXED_NAMES.has(name)) return true;
  if (!name.startsWith(TRACE_FOLDER)) return false;
  const last = name.slice(TRACE_FOLDER.length);
  return last === plainName(last);
}

/** `fileName` as it may stand in an archive. */
export function plainName(fileName: string): string {
  const plain = fileName.toWellFormed().replaceAll(FORBIDDEN, '_');
  const name = Buffer.byteLength(plain) <= MAX_NAME_BYTES ? plain : cutAtStart(plain);
  return /^\.{0,2}$/.test(name) ? 'trace.db' : name;
}

/** The end of a name, with its extension, between whole characters. */
function cutAtStart(name: string): string {
  const characters = [...name];
  let bytes = 0;
  let from = characters.length;
  while (from > 0) {
    bytes += Buffer.byteLength(characters[from - 1] ?? '');
    if (bytes > MAX_NAME_BYTES) break;
    from--;
  }
  return characters.slice(from).join('');
}
