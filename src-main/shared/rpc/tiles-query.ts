/** Tiles of a track side by side: see timeline/tiles/lane-tile.ts. */
export interface TileRun {
  /** Number of the track. */
  readonly track: number;
  /** SUMMARY, GROUND or the number of a line. */
  readonly part: number;
  readonly level: number;
  /** Index of the first tile, and how many there are. */
  readonly first: number;
  readonly count: number;
}

/** Tiles that are asked for together, of all events or of those that a filter picks. */
export interface TilesWanted {
  readonly filter: string;
  readonly runs: readonly TileRun[];
}

/** Tiles of one query, so that its answer is no gigabyte. */
export const MOST_TILES = 4_096;
/** Runs of one query: it has to fit into the head of a request. */
export const MOST_RUNS = 300;
/** Of what is typed to filter tracks or to search. */
export const MAX_FILTER_LENGTH = 500;
/** A tile of it is longer than any trace. */
export const MAX_LEVEL = 53;

/** `filter=…&runs=track.part.level.first.count,…` */
export function tilesQuery({ filter, runs }: TilesWanted): string {
  const text = runs
    .map(({ track, part, level, first, count }) => [track, part, level, first, count].join('.'))
    .join();
  return new URLSearchParams({ filter, runs: text }).toString();
}

/** What a query asks for; `undefined` where that is nothing that can be asked. */
export function parseTilesQuery(query: string): TilesWanted | undefined {
  const parameters = new URLSearchParams(query);
  const filter = parameters.get('filter') ?? '';
  const texts = (parameters.get('runs') ?? '').split(',');
  if (filter.length > MAX_FILTER_LENGTH || texts.length > MOST_RUNS) return undefined;
  const runs = texts.map(parseRun);
  if (!runs.every((run) => run !== undefined)) return undefined;
  const tiles = runs.reduce((sum, { count }) => sum + count, 0);
  return tiles > MOST_TILES ? undefined : { filter, runs };
}

function parseRun(text: string): TileRun | undefined {
  const [, ...numbers] = /^(\d+)\.(-?\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)?.map(Number) ?? [];
  const [track = -1, part = 0, level = 0, first = 0, count = 0] = numbers;
  const isWhole = numbers.every(Number.isSafeInteger);
  return numbers.length === 0 || !isWhole || level > MAX_LEVEL
    ? undefined
    : { track, part, level, first, count };
}
