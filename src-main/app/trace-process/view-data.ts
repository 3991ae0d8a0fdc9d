import { diagnose } from '../../analysis/findings/diagnose.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { stepsOfRanks } from '../../timeline/build/step-tracks.ts';
import type { LoadedTables, TraceData } from '../../timeline/model/trace-data.ts';

/** The columns as the screen has them. Lanes are remembered with these objects, and go with them. */
export function viewData(trace: Trace, summary: TraceSummary): TraceData {
  const tables = Object.fromEntries(
    Object.entries(trace.tables)
      .filter(([, table]) => table.rows > 0)
      .map(([name, table]) => [name, { ...table.columns }]),
  ) as LoadedTables;
  return { traceId: '', summary, tables, steps: stepsOfRanks(diagnose(trace).diagnosis) };
}
