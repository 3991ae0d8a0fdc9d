import { lstatSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import type { DatabaseFile } from './database-header.ts';
import { databaseLimits, harden } from './guard-database.ts';
import { limitSchema } from './limit-schema.ts';
import { sidecarSuffixes } from './private-copy.ts';

/**
 * Makes the private copy at `path` one whole file: what its log holds is written into it, or undone.
 * Its schema is not read before it is known to be a small one. Throws what SQLite throws.
 */
export function settleCopy(
  file: Pick<DatabaseFile, 'name'>,
  path: string,
): Result<null, TraceFileError> {
  const database = new DatabaseSync(path, { timeout: 1000, limits: databaseLimits });
  try {
    harden(database);
    // Rolls a hot journal back, or reads the log, and needs no schema; closing checks the log in.
    database.prepare('PRAGMA user_version').get();
  } finally {
    database.close();
  }
  const left = sidecarSuffixes.find((suffix) => sizeOf(path + suffix) > 0);
  if (left === undefined) return limitSchema(file, path);
  const message = `“${file.name}${left}” does not belong to “${file.name}”: copy both again from where they were recorded.`;
  return fail('file-damaged', message);
}

function sizeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
