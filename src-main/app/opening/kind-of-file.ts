import { isArchive } from '../../archive/is-archive.ts';
import {
  type BesideFile,
  kindBeside,
  MAX_BESIDE_LENGTH,
} from '../../shared/answers/beside-file.ts';
import { readHead } from '../../system/read-head.ts';
import { packingOf } from '../../trace/content/packing.ts';
import { APPLICATION_ID } from '../../trace/formats/stalltrace/schema.ts';

/**
 * What a file is, as far as it matters before a process of its own reads it: `capture` = a trace that Stalltrace
 * wrote, `packed` = compressed, `benchmark` = a result of the benchmark script, `traceml` = a summary by TraceML,
 * `other` = whatever it may be.
 */
export type FileKind = 'archive' | 'packed' | 'capture' | BesideFile['kind'] | 'other';

/** Holds the header of a database, and enough of any other file to know it. */
const HEAD_BYTES = 100;
/** Of the application id in a database, https://www.sqlite.org/fileformat.html §1.3. */
const APPLICATION_ID_OFFSET = 68;

/** By its content, so that any name will do. What can't be read is `other`: opening it says why. */
export async function kindOfFile(path: string): Promise<FileKind> {
  try {
    const head = (await readHead(path, HEAD_BYTES))?.bytes;
    if (head === undefined) return 'other';
    if (isArchive(head)) return 'archive';
    if (packingOf(head) !== undefined) return 'packed';
    if (isCapture(head)) return 'capture';
    return (await besideAt(path, head)) ?? 'other';
  } catch {
    return 'other';
  }
}

/** The file says so. Nothing else about it is believed here. */
function isCapture(head: Buffer): boolean {
  return (
    head.length >= APPLICATION_ID_OFFSET + 4 &&
    head.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID
  );
}

async function besideAt(path: string, head: Buffer): Promise<BesideFile['kind'] | undefined> {
  if (head.toString('utf8').trimStart()[0] !== '{') return undefined;
  const begin = await readHead(path, MAX_BESIDE_LENGTH + 1);
  return begin === undefined ? undefined : kindBeside(begin.bytes.toString('utf8'));
}
