import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes, plural } from '../../shared/text/units.ts';
import { findPlainFile, type PlainFile } from '../content/plain-file.ts';

/** What is known of a database before SQLite touches it. https://www.sqlite.org/fileformat.html §1.3 */
export interface DatabaseFile {
  /** Symbolic links resolved. */
  readonly path: string;
  /** For messages: without folders and invisible characters. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Whether its writers keep new pages in a `-wal` file beside it. */
  readonly wal: boolean;
  /** Set where the header says that the file has more bytes than it has. */
  readonly missingBytes: number;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Whether a file that begins with `head` is a database, be it one that was cut off after a few bytes. */
export function isDatabase(head: Buffer): boolean {
  return head.length > 0 && MAGIC.startsWith(head.toString('latin1', 0, MAGIC.length));
}

/** Reads and judges the first 100 bytes of the file at `path`. Changes nothing, never blocks. */
export function readDatabaseHeader(
  path: string,
  fileName?: string,
): Result<DatabaseFile, TraceFileError> {
  const file = findPlainFile(path, fileName);
  return file.ok ? judgeHeader(file.value) : file;
}

type Found = Pick<DatabaseFile, 'path' | 'name' | 'sizeBytes'>;

function judgeHeader({ head, ...found }: PlainFile): Result<DatabaseFile, TraceFileError> {
  if (!isDatabase(head)) {
    const message = `“${found.name}” is not a SQLite database: choose an Ingero .db or a .stalltrace file.`;
    return fail('file-not-a-trace', message, `first bytes ${head.toString('hex', 0, 16)}`);
  }
  if (head.length < HEADER_BYTES) return onlyBegun(found);
  return readFields(found, head);
}

function readFields(found: Found, head: Buffer): Result<DatabaseFile, TraceFileError> {
  const storedPageSize = head.readUInt16BE(16);
  const pageBytes = storedPageSize === 1 ? 65536 : storedPageSize;
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) {
    const message = `“${found.name}” has a damaged header: copy it again from where it was recorded.`;
    return fail('file-damaged', message, `page size ${pageBytes}`);
  }
  if (found.sizeBytes < pageBytes) return onlyBegun(found);
  // The page count is only kept by SQLite >= 3.7.0, which also writes "version-valid-for".
  const countIsValid = head.readUInt32BE(92) === head.readUInt32BE(24);
  const statedBytes = countIsValid ? head.readUInt32BE(28) * pageBytes : 0;
  return ok({
    ...found,
    wal: head[18] === 2 || head[19] === 2,
    missingBytes: Math.max(0, statedBytes - found.sizeBytes),
  });
}

/** The failure for a file that ends before it says, or can be believed, how long it should be. */
function onlyBegun({ name, sizeBytes }: Found): Result<never, TraceFileError> {
  return fail(
    'file-truncated',
    `“${name}” holds only its first ${plural(sizeBytes, 'byte')}: copy it again from where it was recorded.`,
  );
}

/** The failure for a file that lacks `missingBytes` at its end. */
export function truncated(
  found: Pick<DatabaseFile, 'name' | 'sizeBytes'>,
  missingBytes: number,
): Result<never, TraceFileError> {
  return fail(
    'file-truncated',
    `“${found.name}” lacks its last ${formatBytes(missingBytes)}: copy it again from where it was recorded.`,
    `${found.sizeBytes} bytes of ${found.sizeBytes + missingBytes}`,
  );
}
