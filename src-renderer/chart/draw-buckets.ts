import type { BucketTrack } from '../../src-main/timeline/model/track-model.ts';
import { bucketBars } from '../../src-main/timeline/view/bucket-bars.ts';
import type { Box } from '../../src-main/timeline/view/chart-span.ts';
import { fitText } from './paint.ts';
import type { Frame } from './surface.ts';

/** From a label's middle to where a line no longer touches it. */
const HALF_TEXT = 7;

/** Counts per bucket as bars, hatched: nothing is known about when inside a bucket it happened. */
export function drawBuckets(frame: Frame, track: BucketTrack, box: Box): void {
  const { context, theme, paint } = frame;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const { x, width, top, text, textLeft, room } of bucketBars(frame, track, box)) {
    const barHeight = box.y + box.height - top;
    context.globalAlpha = 0.45;
    context.fillStyle = theme.fills[track.colour];
    context.fillRect(x, top, width, barHeight);
    context.globalAlpha = 1;
    context.fillStyle = paint.notRecorded;
    context.fillRect(x, top, width, barHeight);
    if (room === 0) continue;
    const fitted = fitText(context, paint.textWidths, text, room);
    const middle = box.y + box.height / 2;
    if (Math.abs(top - middle) <= HALF_TEXT) {
      // The bar's top edge would strike the text through.
      context.strokeStyle = theme.background;
      context.lineWidth = 5;
      context.lineJoin = 'round';
      context.strokeText(fitted, textLeft, middle);
      context.lineWidth = 1;
    }
    context.fillStyle = theme.text;
    context.fillText(fitted, textLeft, middle);
  }
}
