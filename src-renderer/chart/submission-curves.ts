import { type ChartSpan, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import { type MarkedEvent, outlineBox } from './marked-event.ts';
import type { RowScroll } from './row-scroll.ts';

/** More than these are a thicket: the others are outlined only. */
const MAX_CURVES = 24;

/** From a call to the work that it submitted, CSS pixels. */
export interface SubmissionCurve {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

/**
 * The curves from a call to its work. One leaves the call at the moment its work began, or where the call
 * ended, if it began later: what lies between is the time it was queued. None goes to work that lies beside
 * the chart on the same side as its call.
 */
export function submissionCurves(
  span: ChartSpan,
  call: MarkedEvent,
  works: readonly MarkedEvent[],
  scroll: RowScroll,
): SubmissionCurve[] {
  const callStartNs = call.lane.times.startNs(call.index);
  const callEndNs = callStartNs + call.lane.times.durationNs(call.index);
  const from = outlineBox(span, call, scroll);
  // An end that is scrolled beneath the rows that stay is at their edge.
  const inView = ({ row }: MarkedEvent, y: number) =>
    row.y < scroll.fixed || scroll.fixed === 0 ? y : Math.max(scroll.fixed, y);
  const scale = pixelsPerNs(span);
  const xOf = (ns: number) => {
    const x = (ns - span.window.startNs) * scale;
    return Math.min(2 * span.width, Math.max(-span.width, x));
  };
  const curves: SubmissionCurve[] = [];
  for (const work of works) {
    const startNs = work.lane.times.startNs(work.index);
    const to = outlineBox(span, work, scroll);
    const isAbove = inView(work, to.y) < inView(call, from.y);
    const fromX = xOf(Math.min(Math.max(startNs, callStartNs), callEndNs));
    const toX = xOf(startNs);
    const isBeside = Math.max(fromX, toX) < 0 || Math.min(fromX, toX) > span.width;
    if (isBeside) continue;
    curves.push({
      ...{ fromX, fromY: inView(call, isAbove ? from.y : from.y + from.height) },
      ...{ toX, toY: inView(work, isAbove ? to.y + to.height : to.y) },
    });
    if (curves.length === MAX_CURVES) break;
  }
  return curves;
}
