import { type EventLane, summarizePixels } from '../model/pyramid.ts';
import type { EventTrack } from '../model/track-model.ts';
import { type Box, type ChartSpan, columnCount, viewOf } from './chart-span.ts';
import { type LaneLabel, laneLabels, type TextRuler } from './lane-labels.ts';
import { stripColumns } from './strip-columns.ts';

/** A part of the chart of one colour, CSS pixels. */
export interface DensityBar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: number;
}

/**
 * Lanes that don't overlap as bars on each other: a column of pixels is as full as the time it stands for
 * was. What happened at all is at least a pixel high. Equal columns in a row are one bar.
 */
export function densityBars(span: ChartSpan, lanes: readonly EventLane[], box: Box): DensityBar[] {
  const columns = columnCount(span);
  const nsPerColumn = (span.window.endNs - span.window.startNs) / columns;
  const { summaries } = stripColumns(columns);
  const taken = new Uint16Array(columns);
  const steps = Math.max(1, Math.round(box.height * span.pixelRatio));
  const bars: DensityBar[] = [];
  for (const lane of lanes) {
    summarizePixels(lane, span.window.startNs, nsPerColumn, columns, summaries);
    const heightOf = (column: number) => {
      if (summaries.counts[column] === 0) return 0;
      const share = Math.round((summaries.busyNs[column] / nsPerColumn) * steps);
      return Math.min(Math.max(1, share), steps - taken[column]);
    };
    for (let from = 0; from < columns; ) {
      const height = heightOf(from);
      const under = taken[from];
      const colour = lane.colours[summaries.longest[from]];
      let to = from;
      for (; to < columns && taken[to] === under && heightOf(to) === height; to++)
        taken[to] += height;
      if (height > 0)
        bars.push({
          x: from / span.pixelRatio,
          width: (to - from) / span.pixelRatio,
          y: box.y + (steps - under - height) / span.pixelRatio,
          height: height / span.pixelRatio,
          colour,
        });
      from = to;
    }
  }
  return bars;
}

/** What fills nothing has its name and length written into it: how long a GPU was idle. None runs over one of `edges`. */
export function densityLabels(
  span: ChartSpan,
  track: EventTrack,
  ruler: TextRuler,
  edges: readonly number[] = [],
): LaneLabel[] {
  const ground = track.ground?.(viewOf(span));
  if (ground === undefined) return [];
  return laneLabels(span, ground, track, ruler, edges);
}
