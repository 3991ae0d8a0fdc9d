import type { EventTrack } from '../../src-main/timeline/model/track-model.ts';
import { type Box, viewOf } from '../../src-main/timeline/view/chart-span.ts';
import { densityBars, densityLabels } from '../../src-main/timeline/view/density-bars.ts';
import { textRuler } from './paint.ts';
import type { Frame } from './surface.ts';

/**
 * Each column of pixels as full as its time was, with what the empty part is called where that fits. `edges`: where what is
 * marked begins and ends, CSS pixels.
 */
export function drawDensity(
  frame: Frame,
  track: EventTrack,
  box: Box,
  edges: readonly number[],
): void {
  const { context, theme } = frame;
  for (const { x, y, width, height, colour } of densityBars(
    frame,
    track.lanes(viewOf(frame)),
    box,
  )) {
    context.fillStyle = theme.fills[colour];
    context.fillRect(x, y, width, height);
  }
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = theme.muted;
  for (const { left, text } of densityLabels(frame, track, textRuler(frame), edges))
    context.fillText(text, left, box.y + box.height / 2 + 0.5);
}
