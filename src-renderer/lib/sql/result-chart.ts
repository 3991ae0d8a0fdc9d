import { extent } from 'd3-array';
import type { StatementCell } from '../../../src-main/shared/answers/statement.ts';
import { type ColumnKind, cellText } from './result-columns.ts';

type Row = readonly StatementCell[];

/** The columns that a chart draws: numbers over a column of numbers, such as a time, or over names. */
export interface ChartColumns {
  readonly x: number;
  readonly y: number;
  /** Told apart by colour; absent: all alike. */
  readonly series?: number;
}

/** More bars than that can't be read: the table has them. */
export const MOST_BARS = 60;
/** More colours can't be told apart. */
export const MOST_SERIES = 8;

interface Named {
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  /** The column in which a row begins. */
  readonly time?: number | undefined;
}

const IS_ID = /(^|_)(id|pid|tid|row|cpu|gpu_id)$/i;

/** What is drawn first of a result; undefined where nothing in it is a number. */
export function usualChart(
  { columns, kinds, time }: Named,
  rows: readonly Row[],
): ChartColumns | undefined {
  const numbers = kinds.flatMap((kind, at) => (kind === 'number' && at !== time ? [at] : []));
  // What is worked out stands last; an id measures nothing.
  const y = numbers.findLast((at) => !IS_ID.test(columns[at] ?? '')) ?? numbers.at(-1);
  if (y === undefined) return undefined;
  const names = kinds.flatMap((kind, at) => (kind === 'text' ? [at] : []));
  const series = names.find((at) => distinct(rows, at) <= MOST_SERIES);
  const x = time ?? names[0] ?? numbers.find((at) => at !== y) ?? y;
  return { x, y, ...(series !== undefined && series !== x && { series }) };
}

function distinct(rows: readonly Row[], column: number): number {
  const seen = new Set<StatementCell>();
  for (const row of rows) {
    seen.add(row[column] ?? null);
    if (seen.size > MOST_SERIES) break;
  }
  return seen.size;
}

interface Point {
  /** Index in the rows that are drawn. */
  readonly row: number;
  readonly x: number;
  readonly y: number;
  /** Index in `series`; MOST_SERIES = one of the others. */
  readonly series: number;
}

interface Bar {
  readonly row: number;
  readonly label: string;
  readonly y: number;
  readonly series: number;
}

interface Drawn {
  readonly series: readonly string[];
  /** Whether others are drawn as well, which have no colour of their own. */
  readonly hasOthers: boolean;
  readonly yExtent: readonly [number, number];
  /** Rows without a number in one of the columns. */
  readonly withoutValue: number;
}
export type ResultChart =
  | (Drawn & {
      readonly kind: 'points';
      readonly points: readonly Point[];
      readonly xExtent: readonly [number, number];
      /** Places in `points` of neighbours that a line joins: values of one series at even distances. */
      readonly runs: readonly (readonly number[])[];
      /** Rows that stand for others beside them: the least and the most of each place are drawn. */
      readonly thinned: number;
    })
  | (Drawn & { readonly kind: 'bars'; readonly bars: readonly Bar[]; readonly left: number });

/** What is drawn of rows: points over numbers, a bar a row over names, in the order of the rows. */
export function chartOf(
  rows: readonly Row[],
  { x, y, series }: ChartColumns,
  isNumber: boolean,
): ResultChart {
  const names = seriesOf(rows, series);
  const places = new Map(names.map((name, at) => [name, at]));
  const seriesAt = (row: Row) =>
    series === undefined ? 0 : (places.get(cellText(row[series] ?? null)) ?? MOST_SERIES);
  const values = rows.flatMap((row, at): Point[] => {
    const value = row[y];
    const place = isNumber ? row[x] : at;
    if (typeof value !== 'number' || typeof place !== 'number') return [];
    return [{ row: at, x: place, y: value, series: seriesAt(row) }];
  });
  const withoutValue = rows.length - values.length;
  if (!isNumber) {
    const shown = values.slice(0, MOST_BARS);
    const bars = shown.map((point) => ({
      row: point.row,
      label: cellText(rows[point.row]?.[x] ?? null),
      y: point.y,
      series: point.series,
    }));
    const left = values.length - shown.length;
    return {
      ...{ kind: 'bars', bars, left, series: names, hasOthers: haveOthers(shown) },
      ...{ yExtent: around(shown), withoutValue },
    };
  }
  const points = thin(values);
  const [first = 0, last = 0] = extent(values, (point) => point.x);
  return {
    ...{ kind: 'points', points, thinned: values.length - points.length },
    runs: points.length < values.length ? [] : runsOf(points),
    ...{ series: names, hasOthers: haveOthers(points) },
    ...{ xExtent: [first, last], yExtent: around(values), withoutValue },
  };
}

/** A place that is farther from the one before is no neighbour of it: nothing is known in between. */
const NEIGHBOUR = 1.5;

/** What a line joins; nothing where a series has two values at one place, or where places are at odd distances. */
function runsOf(points: readonly Point[]): number[][] {
  const places = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
  const least = places.slice(1).reduce((some, x, at) => Math.min(some, x - places[at]), Infinity);
  const order = points.map((_, at) => at).sort((a, b) => points[a].x - points[b].x);
  const named = order.filter((at) => points[at].series < MOST_SERIES);
  const ofSeries = [...Map.groupBy(named, (at) => points[at].series).values()];
  const isOneEach = ofSeries.every((all) =>
    all.every((at, place) => place === 0 || points[all[place - 1]].x < points[at].x),
  );
  if (!isOneEach) return [];
  return ofSeries.flatMap((all) => {
    const runs: number[][] = [];
    for (const at of all) {
      const run = runs.at(-1);
      const before = run?.at(-1);
      if (run === undefined || before === undefined) runs.push([at]);
      else if (points[at].x - points[before].x <= NEIGHBOUR * least) run.push(at);
      else runs.push([at]);
    }
    return runs.filter((run) => run.length > 1);
  });
}

const haveOthers = (points: readonly Point[]) =>
  points.some(({ series }) => series === MOST_SERIES);

function seriesOf(rows: readonly Row[], series: number | undefined): string[] {
  if (series === undefined) return [];
  const names = new Set(rows.map((row) => cellText(row[series] ?? null)));
  return [...names].slice(0, MOST_SERIES);
}

/** From 0, so that lengths compare. */
function around(points: readonly { readonly y: number }[]): [number, number] {
  const [least = 0, most = 0] = extent(points, ({ y }) => y);
  return [Math.min(0, least), Math.max(0, most)];
}

/** More are not told apart on any screen. */
const MOST_POINTS = 4_000;

/** Of many points the lowest and the highest of each place and series: what sticks out stays. */
function thin(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const [first = 0, last = 0] = extent(points, ({ x }) => x);
  const places = Math.floor(MOST_POINTS / 2 / (MOST_SERIES + 1));
  const ends = new Map<number, { low: Point; high: Point }>();
  for (const point of points) {
    const place = Math.floor(((point.x - first) / (last - first || 1)) * (places - 1));
    const key = place * (MOST_SERIES + 1) + point.series;
    const known = ends.get(key);
    if (known === undefined) ends.set(key, { low: point, high: point });
    else if (point.y < known.low.y) known.low = point;
    else if (point.y > known.high.y) known.high = point;
  }
  const kept = new Set([...ends.values()].flatMap(({ low, high }) => [low, high]));
  return points.filter((point) => kept.has(point));
}
