import { scaleBand, scaleLinear } from 'd3-scale';
import type { BenchmarkRow } from './benchmark-rows.ts';

const ROW_PX = 26;
export const AXIS_PX = 28;
/** A loop without loading that is this much faster than the fastest loader does not fit its axis. */
const MOST_BEYOND = 1.6;

export interface BenchmarkBar {
  readonly row: BenchmarkRow;
  readonly y: number;
  readonly height: number;
  readonly widthPx: number;
  /** From the lowest pass to the highest. */
  readonly spread: readonly [fromPx: number, toPx: number];
  /** Longer than the axis. */
  readonly isCut: boolean;
}

export interface BenchmarkLayout {
  readonly height: number;
  readonly bars: readonly BenchmarkBar[];
  readonly ticks: readonly { readonly x: number; readonly value: number }[];
}

/** Bars of `rows` on `widthPx` pixels from 0; x in pixels from their begin. */
export function layoutBenchmark(rows: readonly BenchmarkRow[], widthPx: number): BenchmarkLayout {
  const height = AXIS_PX + rows.length * ROW_PX;
  const y = scaleBand<number>()
    .domain(rows.map((_, index) => index))
    .range([AXIS_PX, height])
    .paddingInner(0.3)
    .paddingOuter(0.15);
  const top = axisEnd(rows);
  const x = scaleLinear().domain([0, top]).range([0, widthPx]).clamp(true);
  const bars = rows.map((row, index) => ({
    row,
    y: y(index) ?? 0,
    height: y.bandwidth(),
    widthPx: x(row.medianPerSecond),
    spread: [x(row.minPerSecond), x(row.maxPerSecond)] as const,
    isCut: row.maxPerSecond > top,
  }));
  const ticks = x.ticks(Math.max(2, Math.floor(widthPx / 110)));
  return { height, bars, ticks: ticks.map((value) => ({ value, x: x(value) })) };
}

function axisEnd(rows: readonly BenchmarkRow[]): number {
  const highest = (some: readonly BenchmarkRow[]) =>
    some.reduce((most, { maxPerSecond }) => Math.max(most, maxPerSecond), 0);
  const real = highest(rows.filter(({ isSynthetic }) => !isSynthetic));
  const all = highest(rows);
  return (real > 0 && all > real * MOST_BEYOND ? real * 1.15 : all) || 1;
}
