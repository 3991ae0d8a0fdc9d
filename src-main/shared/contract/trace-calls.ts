import { z } from 'zod';
import type { TraceSummary } from '../answers/summary.ts';
import type { Investigation } from '../library/investigation.ts';
import { processRoles } from '../library/set-role.ts';
import type { SavedView } from '../library/view.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { traceFileErrors } from '../rpc/trace-file-errors.ts';
import { archiveErrors, hostPath, investigationId } from './library-calls.ts';

const traceId = z.uuid();

export interface OpenedTrace {
  readonly traceId: string;
  readonly investigation: Investigation;
  readonly summary: TraceSummary;
  /** As it was left. */
  readonly view?: SavedView;
}

/** Opening, closing and changing a trace; what can be asked of an open one is in questions/. */
export const traceCalls = {
  'trace.open': call(
    z.strictObject({ id: investigationId }),
    returns<OpenedTrace>(),
    'library-unavailable',
    'not-found',
    'path-not-allowed',
    ...traceFileErrors,
  ),
  /** Opens a file without adding it to the library: for scripts. */
  'trace.openFile': call(
    z.strictObject({ path: hostPath }),
    returns<{ readonly traceId: string; readonly summary: TraceSummary }>(),
    'path-not-allowed',
    ...archiveErrors,
    ...traceFileErrors,
  ),
  'trace.close': call(z.strictObject({ traceId }), returns<null>()),
  /**
   * The user says what a process is, or takes that back (`null`). Kept with the investigation `id`;
   * returns the trace as it is then. `not-found`: the process, or the investigation.
   */
  'trace.setRole': call(
    z.strictObject({
      traceId,
      id: investigationId,
      process: z.number().int().nonnegative(),
      role: z.enum(processRoles).nullable(),
    }),
    returns<TraceSummary>(),
    'not-open',
    'not-found',
    'library-unavailable',
    'process-lost',
  ),
} as const satisfies CallTable;
