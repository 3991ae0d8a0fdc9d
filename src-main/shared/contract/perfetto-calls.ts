import { z } from 'zod';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import type { WrittenFile } from './archive-calls.ts';
import { hostPath } from './library-calls.ts';

const perfettoWish = { traceId: z.uuid(), hidePrivate: z.boolean() };

const writeErrors = [
  'not-open',
  'process-lost',
  'path-not-allowed',
  'file-exists',
  'file-unwritable',
  'disk-full',
] as const;

/** The timeline of an open trace as a file for Perfetto. See docs/cli.md. */
export const perfettoCalls = {
  /**
   * Asks with the system's dialog where to write it, with `name` to begin with; `null` = changed their
   * mind. Browsers fetch `perfettoPath`.
   */
  'perfetto.save': call(
    z.strictObject({ ...perfettoWish, name: z.string().max(300) }),
    returns<WrittenFile | null>(),
    'no-dialog',
    ...writeErrors,
  ),
  'perfetto.write': call(
    z.strictObject({ ...perfettoWish, path: hostPath, overwrite: z.boolean() }),
    returns<WrittenFile>(),
    ...writeErrors,
  ),
} as const satisfies CallTable;
