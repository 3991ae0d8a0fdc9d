import { z } from 'zod';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { traceFileErrors } from '../rpc/trace-file-errors.ts';
import { hostPath, investigationId } from './library-calls.ts';

const writeErrors = [
  'library-unavailable',
  'not-found',
  'path-not-allowed',
  'file-exists',
  'file-unwritable',
  ...traceFileErrors,
] as const;

/** A file that was written. */
export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** A .stalltrace file: one investigation with trace, notes, tags, verdict and view. See docs/archive.md. */
export const archiveCalls = {
  /** Asks with the system's dialog where to write it; `null` = changed their mind. Browsers fetch `/archive/<id>`. */
  'archive.save': call(
    z.strictObject({ id: investigationId }),
    returns<WrittenFile | null>(),
    'no-dialog',
    ...writeErrors,
  ),
  'archive.write': call(
    z.strictObject({ id: investigationId, path: hostPath, overwrite: z.boolean() }),
    returns<WrittenFile>(),
    ...writeErrors,
  ),
} as const satisfies CallTable;
