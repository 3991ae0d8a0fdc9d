import type { Api } from '../../../src-main/contract/api.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import {
  MOST_RUNS,
  MOST_TILES,
  type TileRun,
  type TilesWanted,
} from '../../../src-main/shared/rpc/tiles-query.ts';
import type { LaneView, Samples } from '../../../src-main/timeline/model/track-model.ts';
import { joinTiles, type TiledLane } from '../../../src-main/timeline/tiles/join-tiles.ts';
import {
  BUCKETS,
  type LaneTile,
  levelFor,
  tileNsOf,
  topLevel,
} from '../../../src-main/timeline/tiles/lane-tile.ts';
import { joinLineTiles, type LineTile } from '../../../src-main/timeline/tiles/line-tile.ts';
import type { TileAnswer, ToldBuckets } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { clamp } from '../../lib/clamp.ts';
import { FrameBudget } from './frame-budget.ts';
import { type Stretch, type TileKind, TileShelf } from './tile-shelf.ts';

/** Of a sampled value: there are few. */
const MOST_BYTES_OF_A_LINE = 1 << 20;
/** Of all lanes together. */
const MOST_BYTES_KEPT = 64 << 20;
/** Once nothing was drawn for so long, ms, what is not on the screen, or near it, goes. */
const REST_MS = 4000;

/**
 * How long lanes are joined for one frame, ms. Somebody who zooms or moves comes to other tiles with all lanes at once: those that are
 * over it are drawn from what was joined before, and in the next frames from their own.
 */
const MOST_JOINING_MS = 3;

const NO_LANE: TiledLane = joinTiles([], 0, 0, { meanNs: 0 });
const NO_SAMPLES: Samples = joinLineTiles([]);
const NO_BUCKETS = {
  startNs: new Float64Array(0),
  durationNs: new Float64Array(0),
  counts: new Float64Array(0),
};

const laneTiles: TileKind<LaneTile> = {
  isExact: ({ buckets }) => buckets === undefined,
  bytes: ({ events, buckets }) =>
    events.rows.length * BYTES_PER_EVENT + (buckets === undefined ? 0 : BUCKETS * BYTES_PER_BUCKET),
};
const lineTiles: TileKind<LineTile> = {
  isExact: ({ isExact }) => isExact,
  bytes: ({ timesNs }) => timesNs.length * BYTES_PER_SAMPLE,
};
const BYTES_PER_EVENT = 25;
const BYTES_PER_BUCKET = 16;
const BYTES_PER_SAMPLE = 16;

/** One line of a track: its tiles, and when they were drawn last. */
class Lane {
  readonly shelf: TileShelf<TiledLane, LaneTile>;
  /** Of which events it is; empty: of all. */
  readonly filter: string;
  meanNs = 0;
  usedAt = 0;

  constructor(top: number, filter: string, lengthNs: number) {
    this.filter = filter;
    this.shelf = new TileShelf(top, laneTiles, lengthNs / tileNsOf(0));
  }
}

/** The first of them that one question takes. */
function asManyAsFit(runs: readonly TileRun[]): readonly TileRun[] {
  let tiles = 0;
  let fit = 0;
  for (const { count } of runs.slice(0, MOST_RUNS)) {
    tiles += count;
    if (tiles > MOST_TILES) break;
    fit++;
  }
  return runs.slice(0, fit);
}

/**
 * What the screen knows of a timeline's lanes: tiles of what was looked at, asked for as they are drawn. What is not here
 * yet is drawn from coarser tiles. One question at a time: meanwhile it is seen what is wanted next.
 */
export class TileStore {
  readonly #api: Api;
  readonly #traceId: string;
  readonly #lengthNs: number;
  readonly #top: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #lines = new Map<number, TileShelf<Samples, LineTile>>();
  readonly #buckets = new Map<number, ToldBuckets>();
  readonly #names = new Map<number, Map<number, string>>();
  readonly #gone = new Set<number>();
  /** By filter; each run by its track, part and level. */
  #wanted = new Map<string, Map<string, TileRun>>();
  #isAsking = false;
  /** Whether what was drawn since the last answer lacks something. */
  #isLacking = false;
  /** Whether what was drawn last does: an answer alone shows nothing yet. */
  #isBusy = $state(false);
  readonly #closing = new AbortController();
  /** Counts what is drawn; as it was when tiles were asked for last. */
  #tick = 0;
  #drawnAt = 0;
  #version = $state(0);
  #lineCounts = $state.raw<ReadonlyMap<number, number>>(new Map());
  #failure = $state.raw<Failure | undefined>();

  #rest: ReturnType<typeof setTimeout> | undefined;

  readonly #now: () => number;
  /** Of ms in which lanes are joined. */
  readonly #budget: FrameBudget;
  /** Whether lanes were drawn from the tiles of another level. */
  #isBehind = $state(false);

  /** `now`: ms. */
  constructor(api: Api, traceId: string, lengthNs: number, now = () => performance.now()) {
    this.#now = now;
    this.#budget = new FrameBudget(MOST_JOINING_MS, (isLate) => {
      this.#isBehind = isLate;
      if (isLate) this.#version++;
      if (!this.#isLacking) this.#isBusy = false;
    });
    this.#api = api;
    this.#traceId = traceId;
    this.#lengthNs = Math.max(1, lengthNs);
    this.#top = topLevel(this.#lengthNs);
  }

  /** Rises whenever more is known: what is drawn of lanes is drawn again. */
  get version(): number {
    return this.#version;
  }

  /** Whether what is on the screen is still drawn from other tiles than the best, or not at all. */
  get isBusy(): boolean {
    return this.#failure === undefined && (this.#isBusy || this.#isBehind);
  }

  /** Why tiles did not come. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** On how many lines a track shows its events; 1 as long as that is not known. */
  lineCount(track: number): number {
    return this.#lineCounts.get(track) ?? 1;
  }

  /** What the events of a kind are called on a track. */
  nameOf(track: number, kind: number): string {
    return this.#names.get(track)?.get(kind) ?? '';
  }

  /** The kinds of events that were seen on a track so far. */
  kindsSeen(track: number): Iterable<number> {
    return this.#names.get(track)?.keys() ?? [];
  }

  /** A line of a track as far as it is known; without a view as it was looked at last. */
  lane(track: number, part: number, view?: LaneView, filter = ''): TiledLane {
    const key = `${track}.${part} ${filter}`;
    const lane = this.#lanes.get(key) ?? new Lane(this.#top, filter, this.#lengthNs);
    this.#lanes.set(key, lane);
    if (view === undefined) return lane.shelf.joined ?? NO_LANE;
    this.#budget.begin();
    lane.usedAt = ++this.#tick;
    const stretch = this.#stretchOf(view);
    const missing = lane.shelf.missing(stretch);
    this.#want(track, part, filter, missing);
    if (missing.length === 0)
      this.#want(track, part, filter, lane.shelf.missing(lane.shelf.around(stretch)), false);
    return lane.shelf.join(
      stretch,
      (tiles, { level, first }) => {
        const begunAt = this.#now();
        const joined = joinTiles(tiles, level, first, lane);
        this.#budget.spend(this.#now() - begunAt);
        return joined;
      },
      () => this.#putsOff(),
    );
  }

  #putsOff(): boolean {
    const isOver = this.#budget.putsOff();
    if (isOver) this.#isBehind = true;
    return isOver;
  }

  /** A sampled value as far as it is known. */
  samples(track: number, view?: LaneView): Samples {
    const shelf = this.#lines.get(track) ?? new TileShelf<Samples, LineTile>(this.#top, lineTiles);
    this.#lines.set(track, shelf);
    if (view === undefined) return shelf.joined ?? NO_SAMPLES;
    this.#budget.begin();
    const stretch = this.#stretchOf(view);
    this.#want(track, 0, '', shelf.missing(stretch));
    return shelf.join(stretch, joinLineTiles);
  }

  /** What a recorder counted. */
  buckets(track: number): Omit<ToldBuckets, 'track'> {
    this.#budget.begin();
    const known = this.#buckets.get(track);
    if (known === undefined) this.#want(track, 0, '', [{ level: 0, first: 0, count: 1 }]);
    return known ?? NO_BUCKETS;
  }

  /** Asks again for what did not come. */
  retry(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#version++;
  }

  /** Nothing is asked any more. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#rest);
  }

  #stretchOf({ startNs, endNs, nsPerPixel }: LaneView): Stretch {
    const level = Math.min(this.#top, levelFor(nsPerPixel));
    const tileNs = tileNsOf(level);
    const last = Math.floor(this.#lengthNs / tileNs);
    const first = clamp(Math.floor(startNs / tileNs), 0, last);
    const end = clamp(Math.ceil(endNs / tileNs), first + 1, last + 1);
    return { level, first, count: end - first };
  }

  /** `isSeen`: what is drawn now lacks it. */
  #want(
    track: number,
    part: number,
    filter: string,
    missing: readonly Stretch[],
    isSeen = true,
  ): void {
    const isOver = this.#closing.signal.aborted || this.#failure !== undefined;
    if (missing.length === 0 || isOver || this.#gone.has(track)) return;
    // Also where it is asked for only once another answer is here.
    if (isSeen) this.#isLacking = this.#isBusy = true;
    if (this.#isAsking) return;
    if (this.#wanted.size === 0) setTimeout(() => void this.#ask());
    const runs = this.#wanted.get(filter) ?? new Map<string, TileRun>();
    this.#wanted.set(filter, runs);
    for (const stretch of missing)
      runs.set(`${track}.${part}.${stretch.level}.${stretch.first}`, { track, part, ...stretch });
  }

  async #ask(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    this.#isAsking = true;
    const drawnAt = this.#drawnAt;
    this.#drawnAt = this.#tick;
    for (const [filter, runs] of wanted) await this.#fetch(filter, [...runs.values()]);
    this.#isAsking = false;
    this.#isLacking = false;
    this.#dropOldest(drawnAt);
    this.#awaitRest();
    this.#version++;
  }

  /** As many at once as a question takes; what is over that is asked for when it is drawn again. */
  async #fetch(filter: string, runs: readonly TileRun[]): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const wanted: TilesWanted = { filter, runs: asManyAsFit(runs) };
    const told = await this.#api.fetchTiles(this.#traceId, wanted, signal);
    if (signal.aborted) return;
    if (told.ok) this.#keep(wanted, told.value);
    else if (told.error.code !== 'cancelled') this.#failure = told.error;
  }

  #keep({ filter, runs }: TilesWanted, { lanes, lines, buckets, isCut }: TileAnswer): void {
    // What the trace does not have is not asked for again.
    const told = new Set([...lanes, ...lines, ...buckets].map(({ track }) => track));
    if (!isCut) for (const { track } of runs) if (!told.has(track)) this.#gone.add(track);
    const counts = new Map(this.#lineCounts);
    for (const { track, part, tiles, meanNs, names, lines: count } of lanes) {
      const lane = this.#lanes.get(`${track}.${part} ${filter}`);
      if (lane === undefined) continue;
      lane.meanNs = meanNs;
      lane.shelf.put(tiles);
      const known = this.#names.get(track) ?? new Map<number, string>();
      for (const [kind, name] of names) known.set(kind, name);
      this.#names.set(track, known);
      if (count !== undefined) counts.set(track, count);
    }
    for (const { track, tiles } of lines) this.#lines.get(track)?.put(tiles);
    for (const own of buckets) this.#buckets.set(own.track, own);
    const isNew = [...counts].some(([track, count]) => this.#lineCounts.get(track) !== count);
    if (isNew) this.#lineCounts = counts;
  }

  #awaitRest(): void {
    clearTimeout(this.#rest);
    if (this.#closing.signal.aborted) return;
    const tick = this.#tick;
    this.#rest = setTimeout(() => {
      if (tick === this.#tick) this.#keepShown();
      else this.#awaitRest();
    }, REST_MS);
  }

  /** What is drawn now stays as it is. */
  #keepShown(): void {
    for (const { shelf } of this.#lanes.values()) shelf.keepShown();
  }

  /** What was not drawn for longest goes first, then what the screen does not show of lanes that were drawn since `drawnAt`. */
  #dropOldest(drawnAt: number): void {
    const old = [...this.#lanes].filter(([, { usedAt }]) => usedAt <= drawnAt);
    // Of a filter that nobody looks through any more.
    for (const [key, { filter }] of old) if (filter !== '') this.#lanes.delete(key);
    for (const shelf of this.#lines.values()) if (shelf.bytes > MOST_BYTES_OF_A_LINE) shelf.trim();
    const lanes = [...this.#lanes.values()];
    let kept = lanes.reduce((sum, { shelf }) => sum + shelf.bytes, 0);
    for (const [, { shelf }] of old.sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (kept <= MOST_BYTES_KEPT) return;
      kept -= shelf.bytes;
      shelf.trim();
    }
    if (kept > MOST_BYTES_KEPT) this.#keepShown();
  }
}
