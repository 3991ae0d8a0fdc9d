import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Trace } from '../shared/model/trace.ts';
import { fail, type Result } from '../shared/rpc/result.ts';
import type { TraceFileError } from '../shared/rpc/trace-file-errors.ts';
import { fileFailure } from './content/file-failure.ts';
import { packingOf, unpackedName } from './content/packing.ts';
import { findPlainFile, type PlainFile } from './content/plain-file.ts';
import type { TraceCopy } from './content/trace-copy.ts';
import { type PackedFile, type UnpackOptions, unpackedHead, unpackTo } from './content/unpack.ts';
import { copyBytes } from './files/copy-bytes.ts';
import { copyTrace } from './files/copy-trace.ts';
import { type OpenTraceOptions, openTrace } from './open-trace.ts';
import { refuseContent } from './recognised/refuse.ts';
import { makeCopyFolder } from './sqlite/copy-owner.ts';
import { isDatabase } from './sqlite/database-header.ts';

export type OpenFileOptions = OpenTraceOptions & UnpackOptions;

/**
 * Reads the trace file at `path` into columns, also a packed one, which is unpacked to a private folder first.
 * The folder is gone afterwards. Whoever cancels kills the process, and removes its scratch folder.
 */
export async function openFile(
  path: string,
  options: OpenFileOptions,
): Promise<Result<Trace, TraceFileError>> {
  const found = findPlainFile(path, options.fileName);
  if (!found.ok) return found;
  const file = packed(found.value);
  if (file === undefined) return openTrace(path, options);
  let folder: string | undefined;
  try {
    folder = makeCopyFolder(options.scratchDir);
    const target = join(folder, unpackedName(basename(path)));
    const unpacked = await unpackTrace(file, target, options);
    return unpacked.ok ? openTrace(target, { ...options, fileName: file.name }) : unpacked;
  } catch (thrown) {
    if (thrown instanceof Error && 'syscall' in thrown) return fileFailure(thrown, file.name);
    throw thrown;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Copies the trace file at `path` to `target`, which must not exist, as one whole file that is not packed. The
 * source stays as it is; of a copy that fails nothing is left.
 */
export async function copyFile(
  path: string,
  target: string,
  options: OpenFileOptions,
): Promise<Result<TraceCopy, TraceFileError>> {
  const found = findPlainFile(path);
  if (!found.ok) return found;
  const file = packed(found.value);
  if (file !== undefined) return unpackTrace(file, target, options);
  const { head, name } = found.value;
  if (isDatabase(head)) return copyTrace(path, target, options);
  if (!isSomebodys(head, options)) return refuseContent(head, name);
  return copyBytes(found.value, found.value.path, target, options);
}

/** Whether an importer reads what begins so, and is no database. */
function isSomebodys(head: Buffer, { importers }: OpenFileOptions): boolean {
  return importers.some((importer) => importer.recognises({ head, database: undefined }));
}

function packed(file: PlainFile): PackedFile | undefined {
  const packing = packingOf(file.head);
  return packing && { ...file, packing };
}

/**
 * Unpacks what begins like a trace; anything else is refused by its begin. Of a file that is cut off a database
 * is lost; of JSON its importer reads what is there, and says that it ends too early.
 */
async function unpackTrace(
  file: PackedFile,
  target: string,
  options: OpenFileOptions,
): Promise<Result<TraceCopy, TraceFileError>> {
  const whole = await unpackIfTrace(file, target, options);
  if (whole.ok || whole.error.code !== 'file-truncated') return whole;
  const kept = await unpackIfTrace({ ...file, keepsCut: true }, target, options);
  return kept.ok ? kept : whole;
}

async function unpackIfTrace(
  file: PackedFile,
  target: string,
  options: OpenFileOptions,
): Promise<Result<TraceCopy, TraceFileError>> {
  const begin = await unpackedHead(file);
  if (!begin.ok) return begin;
  const head = begin.value;
  if (head.length === 0)
    return fail('file-empty', `“${file.name}” is empty inside: make it again from the trace.`);
  const isKept = isDatabase(head) ? file.keepsCut !== true : isSomebodys(head, options);
  return isKept ? unpackTo(file, target, options) : refuseContent(head, file.name);
}
