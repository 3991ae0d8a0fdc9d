import { scaleLinear } from 'd3-scale';

/** A line of a small chart: SVG path data, and the points that stand alone between gaps. */
export interface Sparkline {
  readonly path: string;
  readonly dots: readonly (readonly [x: number, y: number])[];
}

interface Size {
  /** CSS px. */
  readonly width: number;
  readonly height: number;
  /** How many points fill the width; newer ones push older ones out to the left. */
  readonly capacity: number;
  /** The value at the top; the bottom is 0. */
  readonly top: number;
}

const PAD_PX = 2;

/** `values`, oldest first, ending at the right edge. `null` = not known: a gap in the line, never a zero. */
export function layoutSparkline(values: readonly (number | null)[], size: Size): Sparkline {
  const { width, height, capacity, top } = size;
  const first = capacity - values.length;
  const x = scaleLinear([0, Math.max(1, capacity - 1)], [PAD_PX, width - PAD_PX]);
  const y = scaleLinear([0, top > 0 ? top : 1], [height - PAD_PX, PAD_PX]).clamp(true);
  const place = (index: number, value: number) =>
    [round(x(first + index)), round(y(value))] as const;
  const runs: (readonly [number, number])[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(place(index, value));
  });
  return {
    path: runs
      .filter((run) => run.length > 1)
      .map((run) => `M${run.map((point) => point.join(',')).join('L')}`)
      .join(''),
    dots: runs.flatMap((run) => (run.length === 1 && run[0] !== undefined ? [run[0]] : [])),
  };
}

const round = (pixels: number) => Math.round(pixels * 100) / 100;
