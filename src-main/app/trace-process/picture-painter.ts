import { timelineSvg } from '../../report/picture/timeline-svg.ts';
import type { PictureOptions } from '../../shared/answers/report.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { TraceData } from '../../timeline/model/trace-data.ts';
import { viewData } from './view-data.ts';
import { viewer } from './viewer.ts';

/** How long the lanes made for a picture are kept for the next one, such as another preview. */
const KEEP_MS = 60_000;

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
    data ??= viewData(trace, summary);
    const svg = timelineSvg(data, options, viewer());
    forgetting = setTimeout(() => {
      data = undefined;
      painted = undefined;
    }, KEEP_MS).unref();
    return svg;
  };
}
