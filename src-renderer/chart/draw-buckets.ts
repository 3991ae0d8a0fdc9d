import { scaleLinear } from 'd3-scale';
import { formatCount } from '../../src-main/shared/units.ts';
import type { BucketTrack } from '../../src-main/timeline/track-model.ts';
import { fitText } from './paint.ts';
import { type Box, crisp, type Frame, pixelsPerNs } from './surface.ts';

const LABEL_PIXELS = 40;
/** From a label's middle to where a line no longer touches it. */
const HALF_TEXT = 7;

/** Counts per bucket as bars, hatched: nothing is known about when inside a bucket it happened. */
export function drawBuckets(frame: Frame, track: BucketTrack, box: Box): void {
  const { context, theme, paint, window } = frame;
  const height = scaleLinear().domain([0, track.highest]).range([0, box.height]);
  const scale = pixelsPerNs(frame);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  track.startNs.forEach((startNs, bucket) => {
    const count = track.counts[bucket];
    const left = (startNs - window.startNs) * scale;
    const right = left + track.durationNs[bucket] * scale;
    if (count <= 0 || right < 0 || left > frame.width) return;
    const x = crisp(Math.max(left, -2), frame.pixelRatio);
    const width = Math.max(2, crisp(Math.min(right, frame.width + 2), frame.pixelRatio) - x - 1);
    const top = box.y + box.height - Math.max(2, height(count));
    const barHeight = box.y + box.height - top;
    context.globalAlpha = 0.45;
    context.fillStyle = theme.fills[track.colour];
    context.fillRect(x, top, width, barHeight);
    context.globalAlpha = 1;
    context.fillStyle = paint.notRecorded;
    context.fillRect(x, top, width, barHeight);
    const labelLeft = Math.max(x, 0) + 6;
    const room = Math.min(x + width, frame.width) - labelLeft - 4;
    if (room < LABEL_PIXELS) return;
    const text = `${formatCount(count)} · aggregated ${track.badge}`;
    const fitted = fitText(context, paint.textWidths, text, room);
    const middle = box.y + box.height / 2;
    if (Math.abs(top - middle) <= HALF_TEXT) {
      // The bar's top edge would strike the text through.
      context.strokeStyle = theme.background;
      context.lineWidth = 5;
      context.lineJoin = 'round';
      context.strokeText(fitted, labelLeft, middle);
      context.lineWidth = 1;
    }
    context.fillStyle = theme.text;
    context.fillText(fitted, labelLeft, middle);
  });
}
