import { z } from 'zod';
import type { Diagnosis } from '../answers/diagnosis.ts';
import type { CallExplanation } from '../answers/explanation.ts';
import { type FlameTree, flameQuery } from '../answers/flame.ts';
import type { OperationStats } from '../answers/operations.ts';
import { type ProcessBreakdowns, timeSpan } from '../answers/process-breakdown.ts';
import type { TraceSummary } from '../answers/summary.ts';
import { chainQuestion, type WaitChain } from '../answers/wait-chain.ts';
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
  /** Statistics per source, operation, direction and, where asked, size bucket. */
  'trace.operations': call(
    z.strictObject({ traceId, bySize: z.boolean() }),
    returns<readonly OperationStats[]>(),
    'not-open',
    'process-lost',
  ),
  /** What the trace proves about one row of cuda_call, and what it can't. */
  'trace.explain': call(
    z.strictObject({
      traceId,
      call: z.number().int().nonnegative(),
      /** Whether to wait for the diagnosis of the whole trace; else fixes are there if it is known. */
      fixes: z.boolean().optional(),
    }),
    returns<CallExplanation>(),
    'not-open',
    'not-found',
    'process-lost',
  ),
  /** What slows the whole trace: verdict, findings, causal chains, steps. */
  'trace.diagnose': call(
    z.strictObject({ traceId }),
    returns<Diagnosis>(),
    'not-open',
    'process-lost',
  ),
  /** What every process did over a range, else over the whole trace. */
  'trace.processes': call(
    z.strictObject({ traceId, span: timeSpan }),
    returns<ProcessBreakdowns>(),
    'not-open',
    'process-lost',
  ),
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
  /** From a stretch in which `thread` (an index) waited back to what was going on. `not-found`: no such thread. */
  'trace.chain': call(
    chainQuestion.extend({ traceId }),
    returns<WaitChain>(),
    'not-open',
    'not-found',
    'process-lost',
  ),
  /** The tree of a flame graph. `not-found`: no event has a stack with the symbol that was asked for. */
  'trace.flame': call(
    z.strictObject({ traceId, query: flameQuery }),
    returns<FlameTree>(),
    'not-open',
    'not-found',
    'process-lost',
  ),
} as const satisfies CallTable;
