import { z } from 'zod';
import { handlersQuestions, questions } from '../../questions/questions.ts';
import type { StatementTable } from '../../shared/answers/statement.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { setRoles } from '../../shared/library/set-role.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import { measuredClock } from '../../shared/remote/measured-clock.ts';
import { type CallTable, defineCall as call, returns } from '../../shared/rpc/rpc.ts';
import { traceFileErrors } from '../../shared/rpc/trace-file-errors.ts';
import type { TraceCopy } from '../../trace/content/trace-copy.ts';
import type { MergedCopy } from '../../trace/merge-files.ts';
import type { WrittenTables } from './statement-file.ts';

/** What the host asks of the process that owns one open trace: about its file, and all questions to a trace. */
export const traceProcessCalls = {
  /** `fileName`: what the user calls the file, where it lies under another name. */
  open: call(
    z.strictObject({
      path: z.string(),
      fileName: z.string().optional(),
      scratchFolder: z.string(),
      dataSocket: z.string(),
      /** Where large traces are kept for the next time; absent: nowhere. */
      cacheFolder: z.string().optional(),
    }),
    returns<TraceSummary>(),
    ...traceFileErrors,
  ),
  /** What was read is in a copy at `path`, by which it is known from now on. */
  moved: call(z.strictObject({ path: z.string() }), returns<null>()),
  /** Copies a trace file to `target`, which must not exist: one whole file, its log checked in, on the disk. */
  copy: call(
    z.strictObject({ path: z.string(), target: z.string(), scratchFolder: z.string() }),
    returns<TraceCopy>(),
    ...traceFileErrors,
  ),
  /**
   * Writes one trace of several files of one run, on several ranks or machines, to `target`, which must not exist; each by
   * its path, what the user calls it and how its machine's clock was measured. Their clocks are brought in line.
   */
  merge: call(
    z.strictObject({
      files: z
        .array(
          z.strictObject({ path: z.string(), name: z.string(), clock: measuredClock.optional() }),
        )
        .min(2),
      target: z.string(),
      scratchFolder: z.string(),
      leavesOut: z.boolean(),
    }),
    returns<MergedCopy>(),
    'traces-apart',
    'not-writable',
    ...traceFileErrors,
  ),
  /** Reads every page of a trace file that came from elsewhere: whether it is sound, before it is listed. */
  check: call(z.strictObject({ path: z.string() }), returns<null>(), ...traceFileErrors),
  /** Whether it holds addresses of the machine's kernel, as older recorders wrote them. */
  holdsKernelAddresses: call(
    z.strictObject({ path: z.string(), scratchFolder: z.string() }),
    returns<boolean>(),
    ...traceFileErrors,
  ),
  /** Removes these from a copy of ours. */
  hideKernelAddresses: call(
    z.strictObject({ path: z.string() }),
    returns<null>(),
    ...traceFileErrors,
  ),
  /** All roles that the user set; the trace as it is with them. */
  setRoles: call(z.strictObject({ roles: setRoles }), returns<TraceSummary>()),
  /** The file that SQL statements over the trace read, with these tables of events filled; none may be read meanwhile. */
  statementTables: call(
    z.strictObject({ tables: z.array(z.enum(tableNames as [TableName, ...TableName[]])) }),
    returns<WrittenTables>(),
    'disk-full',
  ),
  /** What a statement can read. */
  describeTables: call(z.strictObject({}), returns<readonly StatementTable[]>()),
  ...questions,
  ...handlersQuestions,
} as const satisfies CallTable;

export type TraceProcessCalls = typeof traceProcessCalls;
