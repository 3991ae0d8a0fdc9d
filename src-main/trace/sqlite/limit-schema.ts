import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatCount } from '../../shared/text/units.ts';
import { fileFailure } from '../content/file-failure.ts';
import { checkTrees } from './check-trees.ts';
import type { DatabaseFile } from './database-header.ts';
import { openPageFile, type PageFile } from './page-file.ts';
import { DamagedTree, TooMuch, tableRows, varint } from './table-rows.ts';

/**
 * SQLite parses the text of every table, index, view and trigger before it answers the first question,
 * in time that grows with the square of their number, and reads the table of statistics to its end.
 * Nothing can stop it, so both are measured before it is asked. A trace has about 30 tables.
 */
const SCHEMA_LIMITS = { rows: 2000, bytes: 2 ** 20 };
/** Of what ANALYZE left: a row or a few for each index. */
const STATISTICS_LIMITS = { rows: 20_000, bytes: 4 * 2 ** 20 };

class TooMuchStatistics extends Error {}

interface SchemaRow {
  readonly name: string;
  readonly rootPage: number;
}

/**
 * Whether SQLite reads the schema of the database at `path`, which has no log beside it, at once, and the
 * tables in time that grows with the file and no faster.
 */
export function limitSchema(
  { name }: Pick<DatabaseFile, 'name'>,
  path: string,
): Result<null, TraceFileError> {
  let file: PageFile | undefined;
  try {
    file = openPageFile(path);
    if (file === undefined) return damaged(name, 'page size');
    measure(file);
    return ok(null);
  } catch (thrown) {
    if (thrown instanceof DamagedTree) return damaged(name, thrown.message);
    if (thrown instanceof TooMuch) return tooMuch(name, thrown.message);
    if (thrown instanceof TooMuchStatistics) {
      const message = `“${name}” has more statistics about its indexes (sqlite_stat) than any trace: get the original file from its recorder.`;
      return fail('file-unsafe', message, thrown.message);
    }
    return fileFailure(thrown, name);
  } finally {
    file?.close();
  }
}

function measure(file: PageFile): void {
  const roots: number[] = [];
  for (const record of tableRows(file, 1, SCHEMA_LIMITS)) {
    const row = schemaRow(file, record);
    if (row.rootPage > 0) roots.push(row.rootPage);
    if (!/^sqlite_stat\d/i.test(row.name)) continue;
    try {
      // Runs to the end, or to what is wrong.
      for (const _ of tableRows(file, row.rootPage, STATISTICS_LIMITS));
    } catch (thrown) {
      throw thrown instanceof TooMuch ? new TooMuchStatistics(thrown.message) : thrown;
    }
  }
  checkTrees(file, roots);
}

function tooMuch(name: string, detail: string): Result<never, TraceFileError> {
  const most = formatCount(SCHEMA_LIMITS.rows);
  const message = `“${name}” lists more than ${most} tables and indexes, or 1 MiB of text about them, where a trace has about 30: get the original file from its recorder.`;
  return fail('file-unsafe', message, detail);
}

function damaged(name: string, detail: string): Result<never, TraceFileError> {
  const message = `“${name}” is damaged inside: copy it again, or let \`sqlite3 FILE .recover\` save what can be read.`;
  return fail('file-damaged', message, detail);
}

/** A record of sqlite_schema: type, name, tbl_name, rootpage, sql. §2.1 and §2.6 */
function schemaRow(file: PageFile, record: Buffer): SchemaRow {
  const [headerBytes, afterLength] = varint(record, 0);
  let at = afterLength;
  let begin = headerBytes;
  const cells: { kind: number; bytes: Buffer }[] = [];
  while (cells.length < 4 && at < headerBytes) {
    const [kind, next] = varint(record, at);
    const length = cellBytes(kind);
    cells.push({ kind, bytes: record.subarray(begin, begin + length) });
    begin += length;
    at = next;
  }
  return { name: textOf(file, cells[1]), rootPage: numberOf(file, cells[3]) };
}

/** Bytes of a cell of each serial type, §2.1. */
const smallCellBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

function cellBytes(kind: number): number {
  return smallCellBytes[kind] ?? Math.floor((kind - 12) / 2);
}

type Cell = { readonly kind: number; readonly bytes: Buffer } | undefined;

/** As SQLite takes it for a name: to its first zero, a blob's bytes like a text's. */
function textOf({ encoding }: PageFile, cell: Cell): string {
  if (cell === undefined || cell.kind < 12) return '';
  const [text = ''] = new TextDecoder(encoding, { ignoreBOM: true }).decode(cell.bytes).split('\0');
  return text;
}

/** SQLite takes digits for a number. */
function numberOf(file: PageFile, cell: Cell): number {
  if (cell === undefined) return 0;
  if (cell.kind >= 12) return Number.parseInt(textOf(file, cell), 10) || 0;
  if (cell.kind === 9) return 1;
  return cell.bytes.length === 0 || cell.bytes.length > 6
    ? 0
    : cell.bytes.readUIntBE(0, cell.bytes.length);
}
