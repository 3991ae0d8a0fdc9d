import { scaleLinear } from 'd3-scale';
import { formatCount } from '../../shared/text/units.ts';
import type { BucketTrack } from '../model/track-model.ts';
import { type Box, type ChartSpan, crisp, pixelsPerNs } from './chart-span.ts';

const LABEL_PIXELS = 40;

/** A bucket as a bar, with the words on it and how much room there is for them; no room, no words. */
interface BucketBar {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly text: string;
  readonly textLeft: number;
  readonly room: number;
}

/** The bars of the buckets in view, heights by count. */
export function bucketBars(span: ChartSpan, track: BucketTrack, box: Box): BucketBar[] {
  const height = scaleLinear().domain([0, track.highest]).range([0, box.height]);
  const scale = pixelsPerNs(span);
  const bars: BucketBar[] = [];
  const { startNs: starts, durationNs, counts } = track.buckets();
  starts.forEach((startNs, bucket) => {
    const count = counts[bucket];
    const left = (startNs - span.window.startNs) * scale;
    const right = left + durationNs[bucket] * scale;
    if (count <= 0 || right < 0 || left > span.width) return;
    const x = crisp(Math.max(left, -2), span.pixelRatio);
    const width = Math.max(2, crisp(Math.min(right, span.width + 2), span.pixelRatio) - x - 1);
    const textLeft = Math.max(x, 0) + 6;
    const room = Math.min(x + width, span.width) - textLeft - 4;
    bars.push({
      x,
      width,
      top: box.y + box.height - Math.max(2, height(count)),
      text: `${formatCount(count)} · aggregated ${track.badge}`,
      textLeft,
      room: room < LABEL_PIXELS ? 0 : room,
    });
  });
  return bars;
}
