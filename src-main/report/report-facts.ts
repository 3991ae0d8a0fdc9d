import { explainCall } from '../analysis/explain-call.ts';
import { diagnose } from '../analysis/findings/diagnose.ts';
import { operationStats } from '../analysis/operations.ts';
import { rangeOperations } from '../analysis/range-operations.ts';
import { recordingLosses } from '../analysis/recording-losses.ts';
import type { Trace } from '../shared/model/trace.ts';
import type { ReportFacts } from '../shared/report.ts';
import type { TraceSummary } from '../shared/summary.ts';
import { slowestCall } from '../timeline/slowest-call.ts';
import { type MomentFocus, momentOf } from './moment.ts';

/**
 * All that a report says of `trace` besides its `summary`: of the call in `focus`, else the slowest
 * copy or call. Throws RangeError where there is no such call.
 */
export function reportFacts(trace: Trace, summary: TraceSummary, focus: MomentFocus): ReportFacts {
  const tables = Object.fromEntries(
    Object.entries(trace.tables).flatMap(([name, { columns, rows }]) =>
      rows === 0 ? [] : [[name, columns]],
    ),
  );
  const data = { traceId: '', summary, tables };
  const call = focus.call ?? slowestCall(data)?.row;
  const { range } = focus;
  const moment = momentOf(trace, data, { call, range });
  return {
    ...(call !== undefined && { explanation: explainCall(trace, call) }),
    diagnosis: diagnose(trace).diagnosis,
    operations: operationsOf(trace),
    ...(moment !== undefined && { moment }),
    ...(range !== undefined && {
      range: { ...range, operations: rangeOperations(trace, range.startNs, range.endNs) },
    }),
    losses: recordingLosses(trace),
  };
}

/** The same for every report of a trace: sorting ten million durations takes seconds. */
const known = new WeakMap<Trace, ReportFacts['operations']>();

function operationsOf(trace: Trace): ReportFacts['operations'] {
  const operations = known.get(trace) ?? operationStats(trace, { bySize: true });
  known.set(trace, operations);
  return operations;
}
