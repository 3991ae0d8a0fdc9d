import { explainCall } from '../analysis/call/explain-call.ts';
import { recordingLosses } from '../analysis/coverage/recording-losses.ts';
import { diagnose } from '../analysis/findings/diagnose.ts';
import { operationStats } from '../analysis/operations/operations.ts';
import { rangeOperations } from '../analysis/operations/range-operations.ts';
import type { ReportFacts } from '../shared/answers/report.ts';
import type { TraceSummary } from '../shared/answers/summary.ts';
import type { Trace } from '../shared/model/trace.ts';
import { slowestCall } from '../timeline/build/slowest-call.ts';
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
