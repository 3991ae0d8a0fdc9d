import { scaleLinear } from 'd3-scale';
import { formatCount } from '../../src-main/shared/units.ts';
import { nameColour } from '../lib/colours.ts';
import type { BucketTrack } from '../lib/track-model.ts';
import { fitText } from './paint.ts';
import { type Box, crisp, type Frame, pixelsPerNs } from './surface.ts';

const LABEL_PIXELS = 40;

/** Counts per bucket as bars, hatched: nothing is known about when inside a bucket it happened. */
export function drawBuckets(frame: Frame, track: BucketTrack, box: Box): void {
  const { context, theme, paint, window } = frame;
  const height = scaleLinear().domain([0, track.highest]).range([0, box.height]);
  const scale = pixelsPerNs(frame);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  track.startNs.forEach((startNs, bucket) => {
    const count = track.counts[bucket] as number;
    const left = (startNs - window.startNs) * scale;
    const right = left + (track.durationNs[bucket] as number) * scale;
    if (count <= 0 || right < 0 || left > frame.width) return;
    const x = crisp(Math.max(left, -2), frame.pixelRatio);
    const width = Math.max(2, crisp(Math.min(right, frame.width + 2), frame.pixelRatio) - x - 1);
    const top = box.y + box.height - Math.max(2, height(count));
    const barHeight = box.y + box.height - top;
    context.globalAlpha = 0.45;
    context.fillStyle = theme.fills[nameColour(track.label)] as string;
    context.fillRect(x, top, width, barHeight);
    context.globalAlpha = 1;
    context.fillStyle = paint.notRecorded;
    context.fillRect(x, top, width, barHeight);
    const labelLeft = Math.max(x, 0) + 6;
    const room = Math.min(x + width, frame.width) - labelLeft - 4;
    if (room < LABEL_PIXELS) return;
    const text = `${formatCount(count)} · aggregated ${track.badge}`;
    context.fillStyle = theme.text;
    const fitted = fitText(context, paint.textWidths, text, room);
    context.fillText(fitted, labelLeft, box.y + box.height / 2);
  });
}
