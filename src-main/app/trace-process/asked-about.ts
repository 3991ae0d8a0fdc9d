import { diagnose } from '../../analysis/findings/diagnose.ts';
import type { Asked } from '../../questions/question.ts';
import { timelineSvg } from '../../report/picture/timeline-svg.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { stepsOfRanks } from '../../timeline/build/step-tracks.ts';
import type { LoadedTables, TraceData } from '../../timeline/model/trace-data.ts';
import { timelineAnswers } from '../../timeline/tiles/timeline-answers.ts';
import { viewer } from './viewer.ts';

/** The trace as its timeline is built from: lanes are remembered with these objects, and go with them. */
function recordedData(trace: Trace, summary: TraceSummary): TraceData {
  const tables = Object.fromEntries(
    Object.entries(trace.tables)
      .filter(([, table]) => table.rows > 0)
      .map(([name, table]) => [name, { ...table.columns }]),
  ) as LoadedTables;
  return { traceId: '', summary, tables };
}

/** A trace that can be asked about, and its timeline with the steps that a diagnosis found. */
export interface AskedAbout extends Asked {
  judged(): TraceData;
}

/** What is worked out for one question is there for the next, as long as this is kept. */
export function askedAbout(trace: Trace, summary: TraceSummary): AskedAbout {
  const recorded = recordedData(trace, summary);
  const judged = () => ({ ...recorded, steps: stepsOfRanks(diagnose(trace).diagnosis) });
  return {
    trace,
    summary,
    judged,
    paint: (options) => timelineSvg(judged(), options, viewer()),
    timeline: () => timelineAnswers(recorded),
  };
}
