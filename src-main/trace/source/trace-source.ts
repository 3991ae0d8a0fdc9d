import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Notice } from '../../shared/model/trace.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { findPlainFile, type PlainFile, stampOf } from '../content/plain-file.ts';
import { isDatabase } from '../sqlite/database-header.ts';
import { openDatabase } from '../sqlite/open-database.ts';

/** The content of a trace file, as an importer gets it: unpacked, hostile, of a format that it says itself. */
export interface TraceSource {
  /** For messages: without folders and invisible characters. */
  readonly fileName: string;
  readonly sizeBytes: number;
  /** How the content begins, at most 64 KiB. */
  readonly head: Buffer;
  /** Read-only, guarded, of plain tables; undefined where the content is no SQLite database. */
  readonly database: DatabaseSync | undefined;
  /**
   * The content from its begin, in parts of at most 256 KiB. It ends where the file ended when it was opened,
   * whatever is written to it meanwhile; it can be read again.
   */
  parts(): Generator<Buffer>;
}

export interface OpenSource extends TraceSource {
  readonly notices: readonly Notice[];
  /** False where the file was written to since it was opened, so that what was read may not fit together. */
  isUnchanged(): boolean;
  close(): void;
}

const PART_BYTES = 2 ** 18;

/**
 * Opens the file at `path`, which is not packed; the file stays as it is. Where the content is a database
 * that can't be opened, that is the failure. `name`: what its user calls it, where it lies under another.
 */
export function openSource(
  path: string,
  scratchDir: string,
  name?: string,
): Result<OpenSource, TraceFileError> {
  const found = findPlainFile(path, name);
  if (!found.ok) return found;
  const file = found.value;
  const content = {
    fileName: file.name,
    sizeBytes: file.sizeBytes,
    head: file.head,
    parts: () => partsOf(file),
  };
  if (!isDatabase(file.head)) return ok({ ...content, ...noDatabase(file) });
  const opened = openDatabase(path, scratchDir, name);
  return opened.ok ? ok({ ...content, ...opened.value }) : opened;
}

function noDatabase({ path }: PlainFile) {
  const before = stampOf(path);
  return {
    database: undefined,
    notices: [],
    isUnchanged: () => stampOf(path) === before,
    close: () => undefined,
  };
}

function* partsOf({ path, sizeBytes }: PlainFile): Generator<Buffer> {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    for (let position = 0; position < sizeBytes; ) {
      const part = Buffer.alloc(Math.min(PART_BYTES, sizeBytes - position));
      const length = readSync(descriptor, part, 0, part.length, position);
      if (length === 0) return;
      yield part.subarray(0, length);
      position += length;
    }
  } finally {
    closeSync(descriptor);
  }
}
