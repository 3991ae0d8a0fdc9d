import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename } from 'node:path';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes, plural } from '../../shared/text/units.ts';
import { fileFailure } from './sqlite-failure.ts';

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
const LFS_POINTER = 'version https://git-lfs';

/** The file's name as it is shown to the user. */
function shownName(path: string): string {
  return cleanText(basename(path), 120);
}

/** Opens without blocking, whatever is there: a FIFO without a writer would block for ever. */
function readHead(path: string): { sizeBytes: number; regular: boolean; head: Buffer } {
  if (!statSync(path).isFile()) return { sizeBytes: 0, regular: false, head: Buffer.alloc(0) };
  // Windows has neither flag nor FIFOs in its file system.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(descriptor);
    const head = Buffer.alloc(HEADER_BYTES);
    const length = stat.isFile() ? readSync(descriptor, head, 0, HEADER_BYTES, 0) : 0;
    return { sizeBytes: stat.size, regular: stat.isFile(), head: head.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads and judges the first 100 bytes of the file at `path`. Changes nothing, never blocks. */
export function readDatabaseHeader(path: string): Result<DatabaseFile, TraceFileError> {
  const name = shownName(path);
  try {
    // The pipe of a process substitution, /dev/fd/63, resolves to no path at all.
    if (!statSync(path).isFile()) return noFile(name);
    const resolved = realpathSync(path);
    const { sizeBytes, regular, head } = readHead(resolved);
    if (!regular) return noFile(name);
    return judgeHeader({ path: resolved, name, sizeBytes }, head);
  } catch (thrown) {
    return fileFailure(thrown, name);
  }
}

function noFile(name: string): Result<never, TraceFileError> {
  const message = `“${name}” is no file: a trace must be a file on disk, not a folder, pipe or device.`;
  return fail('file-not-a-trace', message);
}

type Found = Pick<DatabaseFile, 'path' | 'name' | 'sizeBytes'>;

function judgeHeader(found: Found, head: Buffer): Result<DatabaseFile, TraceFileError> {
  const { name, sizeBytes } = found;
  if (sizeBytes === 0)
    return fail('file-empty', `“${name}” is empty: its recorder wrote nothing, or a copy failed.`);
  if (head.toString('latin1').startsWith(LFS_POINTER)) {
    const message = `“${name}” is only a Git LFS pointer: run \`git lfs pull\` where it came from.`;
    return fail('file-lfs-pointer', message);
  }
  const magic = head.toString('latin1', 0, MAGIC.length);
  if (!MAGIC.startsWith(magic) || head.length === 0) {
    const message = `“${name}” is not a SQLite database: choose an Ingero .db or a .stalltrace file.`;
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
