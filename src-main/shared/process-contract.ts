import { z } from 'zod';
import { type Investigation, traceFileErrors } from './contract.ts';
import type { CallExplanation } from './explanation.ts';
import type { OperationStats } from './operations.ts';
import { type CallTable, defineCall as call, returns } from './rpc.ts';
import type { TraceSummary } from './summary.ts';

/** What the host asks of the process that owns one open trace. */
export const traceProcessCalls = {
  open: call(
    z.strictObject({ path: z.string(), scratchFolder: z.string(), dataSocket: z.string() }),
    returns<TraceSummary>(),
    ...traceFileErrors,
  ),
  operations: call(z.strictObject({ bySize: z.boolean() }), returns<readonly OperationStats[]>()),
  explain: call(
    z.strictObject({ call: z.number().int().nonnegative() }),
    returns<CallExplanation>(),
    'not-found',
  ),
} as const satisfies CallTable;
export type TraceProcessCalls = typeof traceProcessCalls;

/** What is known of a trace file when it enters the catalogue, or has just been opened. */
const catalogueEntry = z.strictObject({
  path: z.string(),
  name: z.string(),
  format: z.string(),
  sizeBytes: z.number().nonnegative(),
  recordedAt: z.string().optional(),
  lengthNs: z.number().nonnegative().optional(),
  machine: z.string().optional(),
  gpu: z.string().optional(),
  sample: z.boolean(),
  synthetic: z.boolean(),
});
export type CatalogueEntry = z.infer<typeof catalogueEntry>;

/** What the host asks of the process that owns the catalogue. */
export const libraryProcessCalls = {
  list: call(z.strictObject({}), returns<readonly Investigation[]>(), 'library-unavailable'),
  find: call(
    z.strictObject({ id: z.number().int() }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
  ),
  /** Adds the file, or brings the entry with the same path up to date. */
  put: call(
    z.strictObject({ entry: catalogueEntry, opened: z.boolean() }),
    returns<Investigation>(),
    'library-unavailable',
  ),
  /** Refused for a sample whose file is there: the next start of its installation would list it again. */
  remove: call(
    z.strictObject({ id: z.number().int() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'sample-stays',
  ),
} as const satisfies CallTable;
export type LibraryProcessCalls = typeof libraryProcessCalls;
