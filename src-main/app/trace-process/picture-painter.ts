import { timelineSvg } from '../../report/picture/timeline-svg.ts';
import type { PictureOptions } from '../../shared/answers/report.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { LoadedTables, TraceData } from '../../timeline/model/trace-data.ts';
import { viewer } from './viewer.ts';

/** How long the lanes made for a picture are kept for the next one, such as another preview. */
const KEEP_MS = 60_000;

/** The columns as the screen has them. Lanes are remembered with these objects, and go with them. */
function pictureData(trace: Trace, summary: TraceSummary): TraceData {
  const tables = Object.fromEntries(
    Object.entries(trace.tables)
      .filter(([, table]) => table.rows > 0)
      .map(([name, table]) => [name, { ...table.columns }]),
  ) as LoadedTables;
  return { traceId: '', summary, tables };
}

/** Draws pictures of one trace. */
export function createPainter(): (
  trace: Trace,
  summary: TraceSummary,
  options: PictureOptions,
) => string {
  let data: TraceData | undefined;
  let painted: Trace | undefined;
  let forgetting: NodeJS.Timeout | undefined;
  return (trace, summary, options) => {
    clearTimeout(forgetting);
    // With another role of a process it is another trace.
    if (painted !== trace) data = undefined;
    painted = trace;
    data ??= pictureData(trace, summary);
    const svg = timelineSvg(data, options, viewer());
    forgetting = setTimeout(() => {
      data = undefined;
      painted = undefined;
    }, KEEP_MS).unref();
    return svg;
  };
}
