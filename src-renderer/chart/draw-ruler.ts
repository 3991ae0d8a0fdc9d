import { formatMoment } from '../../src-main/shared/text/units.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import { pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import { spanLabel, type TimeTicks } from '../../src-main/timeline/view/time-ticks.ts';
import type { Frame } from './surface.ts';

export const RULER_HEIGHT = 26;
/** No label is longer, CSS px. */
const LONGEST_LABEL = 300;

/** Marks and times; the span in view stands at the right. */
export function drawRuler(frame: Frame, ticks: TimeTicks, range: TimeWindow | undefined): void {
  const { context, theme, window } = frame;
  const scale = pixelsPerNs(frame);
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, frame.width, frame.height);
  if (range !== undefined) {
    context.fillStyle = theme.accent;
    const left = Math.max(0, (range.startNs - window.startNs) * scale);
    const right = Math.min(frame.width, (range.endNs - window.startNs) * scale);
    if (right > left) context.fillRect(left, frame.height - 3, right - left, 3);
  }
  context.font = theme.font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const corner =
    ticks.baseNs === undefined
      ? spanLabel(window)
      : `${spanLabel(window)} · from ${formatMoment(ticks.baseNs)}`;
  const cornerLeft = frame.width - context.measureText(corner).width - 8;
  for (const { ns, label } of ticks.ticks) {
    const x = Math.round((ns - window.startNs) * scale);
    context.fillStyle = theme.border;
    context.fillRect(x, 0, 1, frame.height);
    context.fillStyle = theme.text;
    // To measure what has room anyway takes longer than to draw it.
    const isFree = x + LONGEST_LABEL < cornerLeft;
    if (isFree || x + 6 + context.measureText(label).width < cornerLeft - 8)
      context.fillText(label, x + 5, frame.height / 2);
  }
  context.fillStyle = theme.panel;
  context.fillRect(cornerLeft - 8, 0, frame.width - cornerLeft + 8, frame.height);
  context.fillStyle = theme.muted;
  context.fillText(corner, cornerLeft, frame.height / 2);
  context.fillStyle = theme.border;
  context.fillRect(0, frame.height - 1, frame.width, 1);
}
