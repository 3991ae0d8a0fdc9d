import type {
  BlockRequests,
  EventLine,
  PlacedEvent,
  PlacedSubmission,
  SelectedEvent,
} from '../../shared/answers/placed-event.ts';
import type { RangeFigures, RangeKey } from '../../shared/answers/range-figures.ts';
import type {
  ToldGroup,
  ToldKinds,
  ToldTrack,
  ToldTracks,
} from '../../shared/answers/told-tracks.ts';
import type { SavedEvent } from '../../shared/library/saved-event.ts';
import type { EventRef } from '../../shared/model/event-ref.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { TileRun, TilesWanted } from '../../shared/rpc/tiles-query.ts';
import { blockRequests } from '../build/block-requests.ts';
import { lostStretches, overviewLane, recordedGroups } from '../build/build-tracks.ts';
import { launchersInPieces } from '../build/gpu-kernels.ts';
import { rowsByCpu } from '../build/machine-groups.ts';
import { slowestCall, slowestCallInPieces } from '../build/slowest-call.ts';
import { threadTables } from '../build/thread-tracks.ts';
import { eventColumns, rowsByKey } from '../model/event-source.ts';
import type { EventLane, OwnEvents } from '../model/pyramid.ts';
import { firstStartingAt } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import { callOfWork, workOfCall } from '../model/submissions.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { TraceData } from '../model/trace-data.ts';
import { type EventTrack, isEventTrack, type Track, threadAt } from '../model/track-model.ts';
import { keyOfEvent, kindsOfKeys } from '../range/range-keys.ts';
import { trackStatistics } from '../range/track-statistics.ts';
import { unstoredCalls } from '../range/unstored-calls.ts';
import { eventLine } from '../view/event-line.ts';
import {
  type EventHit,
  eventAround,
  locateEvent,
  refOf,
  rowOfSaved,
} from '../view/locate-event.ts';
import { matchedLane } from '../view/matched-lanes.ts';
import { neighbour, slowCalls } from '../view/navigation.ts';
import { submissionLinks } from '../view/submission-links.ts';
import { toldOfWork } from '../view/told-work.ts';
import { choosesEvents, parseFilter, type TrackFilter } from '../view/track-filter.ts';
import { makeTile } from './lane-tile.ts';
import { makeLineTile } from './line-tile.ts';
import {
  GROUND,
  namesOf,
  SUMMARY,
  type TileAnswer,
  type ToldBuckets,
  type ToldLane,
  type ToldLine,
  tilesOf,
  wantedLines,
} from './tile-answers.ts';

const OVERVIEW_ID = 'overview';

/** Answers what a screen asks of the timeline of a trace with all its tables. Numbers it is asked for may be any. */
export class TimelineAnswers {
  readonly #data: TraceData;
  readonly #told: ToldTracks;
  readonly #tracks: readonly Track[];
  /** The number of the first track. */
  readonly #first: number;

  /** `first`: the number of the first track. Grouped anew, tracks have others: nobody is told of another track than they mean. */
  constructor(data: TraceData, first = 0) {
    this.#data = data;
    const groups = recordedGroups(data);
    const tracks = groups.flatMap((group) => group.tracks);
    const overview = overviewTrack(data);
    this.#tracks = overview === undefined ? tracks : [...tracks, overview];
    this.#first = first;
    const numbers = new Map(tracks.map((track, at) => [track, first + at]));
    const tell = (track: Track) => toldTrack(track, numbers.get(track) ?? -1);
    const slowest = slowestCall(data);
    this.#told = {
      groups: groups.map((group): ToldGroup => ({ ...group, tracks: group.tracks.map(tell) })),
      lost: lostStretches(data),
      callers: callers(data),
      ...(overview !== undefined && { overview: first + tracks.length }),
      ...(slowest !== undefined && { slowest }),
    };
  }

  get tracks(): ToldTracks {
    return this.#told;
  }

  #track(number: number): Track | undefined {
    return this.#tracks[number - this.#first];
  }

  /**
   * What tiles hold; those of tracks or lines that there are not are left out. Lanes are built when they are first asked for:
   * once `isTimeUp` the rest is left for another question.
   */
  tiles({ filter, runs }: TilesWanted, isTimeUp = () => false): TileAnswer {
    const parsed = parseFilter(filter);
    const lanes: ToldLane[] = [];
    const lines: ToldLine[] = [];
    const buckets: ToldBuckets[] = [];
    for (const wanted of wantedLines(runs)) {
      const isFirst = lanes.length + lines.length + buckets.length === 0;
      if (!isFirst && isTimeUp()) return { lanes, lines, buckets, isCut: true };
      const [{ track: number, part }] = wanted;
      const track = this.#track(number);
      if (track === undefined) continue;
      if (track.kind === 'line')
        lines.push({
          track: number,
          tiles: tilesOf(wanted, (level, index) => makeLineTile(track.samples(), level, index)),
        });
      else if (track.kind === 'buckets') buckets.push({ track: number, ...track.buckets() });
      else {
        const lane = toldLane(
          number,
          track,
          part,
          wanted,
          choosesEvents(parsed) ? parsed : undefined,
        );
        if (lane !== undefined) lanes.push(lane);
      }
    }
    return { lanes, lines, buckets, isCut: false };
  }

  /** Builds what tiles are asked of, line by line, where it is not built yet. Yields after each. */
  *buildAhead({ runs }: TilesWanted): Generator<undefined, void> {
    for (const [{ track: number, part }] of wantedLines(runs)) {
      const track = this.#track(number);
      if (track === undefined || !isEventTrack(track)) continue;
      partOf(track, part);
      yield undefined;
    }
  }

  /** Of every track that has events, their kinds: what a filter is asked of. Yields after each. */
  *kinds(): Generator<undefined, ToldKinds[]> {
    const told: ToldKinds[] = [];
    for (const [at, track] of this.#tracks.entries()) {
      if (!isEventTrack(track)) continue;
      const kinds = [...(track.kinds() ?? [])].map(
        ([kind, longestNs]) => [kind, track.kindName(kind), longestNs] as const,
      );
      told.push({ track: this.#first + at, kinds });
      yield undefined;
    }
    return told;
  }

  /** Where an event is; null where the timeline does not show it. */
  place(event: EventRef): PlacedEvent | null {
    return this.#placed(locateEvent(this.#data, this.#tracks, event));
  }

  /** What a track shows at a moment. */
  around(number: number, ns: number): PlacedEvent | null {
    const track = this.#track(number);
    return this.#placed(track && eventAround(track, ns));
  }

  /** The row that a saved event is now; null where it is gone. */
  rowOf(saved: SavedEvent): number | null {
    return rowOfSaved(this.#data, saved) ?? null;
  }

  /** Where an event is, and what the GPU did for it or which call asked for it. */
  select(event: EventRef): SelectedEvent {
    const placed = this.place(event);
    const columns = eventColumns(this.#data.tables, event.table);
    const thread = columns?.thread?.[event.row] ?? -1;
    const startNs = Math.max(0, columns?.startNs[event.row] ?? 0);
    const durationNs = Math.max(0, columns?.durationNs?.[event.row] ?? 0);
    return { placed, thread, startNs, durationNs, submission: this.#submission(event) };
  }

  #submission(event: EventRef): PlacedSubmission {
    const { tables } = this.#data;
    const isWork = event.table === 'gpu_work';
    const call = isWork
      ? callOfWork(tables, event.row)
      : event.table === 'cuda_call'
        ? event.row
        : -1;
    if (call < 0) return { call: -1, count: 0, at: -1 };
    const works = workOfCall(tables, call);
    const links = submissionLinks(this.#data, this.#tracks, event);
    const asking = this.#placed(links?.call);
    const shown = (links?.works ?? [])
      .map((hit) => this.#placed(hit))
      .filter((each) => each !== null);
    return {
      ...{ call, count: works.length, at: isWork ? works.indexOf(event.row) : -1 },
      ...(asking !== null && { links: { call: asking, works: shown } }),
    };
  }

  /** The piece of GPU work number `at` of a call, from 0; null where it has none. */
  workOf(call: number, at: number): number | null {
    return workOfCall(this.#data.tables, call)[at] ?? null;
  }

  /** Events as lists show them. */
  lines(events: readonly EventRef[]): EventLine[] {
    return events.map((event) => eventLine(this.#data, event));
  }

  /** What a row of gpu_work does not hold itself. */
  work(row: number): ReturnType<typeof toldOfWork> {
    return toldOfWork(this.#data, row);
  }

  /** The event next after a moment (`by` = 1) or last before it (-1) that starts on any of the lines, of those a filter picks. */
  neighbour(
    rows: readonly { readonly track: number; readonly expanded: boolean }[],
    filter: string | undefined,
    fromNs: number,
    by: 1 | -1,
  ): PlacedEvent | null {
    const parsed = filter === undefined ? undefined : parseFilter(filter);
    const shown = rows.flatMap(({ track: number, expanded }) => {
      const track = this.#track(number);
      return track === undefined || !isEventTrack(track) ? [] : [{ track, expanded }];
    });
    return this.#placed(neighbour(shown, parsed, fromNs, by));
  }

  /** The next slower (`by` = -1) or faster call of the slowest, after row `from` of cuda_call; the slowest where that is none of them. */
  slowCall(from: number, by: 1 | -1): { readonly row: number; readonly rank: number } | null {
    const calls = slowCalls(this.#data);
    if (calls.length === 0) return null;
    const rank = calls.indexOf(from);
    const next = rank < 0 ? 0 : (rank + by + calls.length) % calls.length;
    return { row: calls[next], rank: next };
  }

  /** The block requests under way in a stretch, told apart by whether they are of the thread of a call. */
  blockRequests(call: number, startNs: number, endNs: number): BlockRequests | null {
    const thread = this.#data.tables.cuda_call?.thread?.[call] ?? -1;
    return blockRequests(this.#data, thread, startNs, endNs) ?? null;
  }

  /** The threads with events in a table: indexes into threads. */
  threadsOf(table: TableName): number[] {
    const columns = eventColumns(this.#data.tables, table);
    if (columns?.thread === undefined) return [];
    return [...rowsByKey(columns, 'thread', columns.thread).keys()].filter((each) => each >= 0);
  }

  /** Statistics of the events of tracks in a range, by one key or by two. Yields now and then: others may ask meanwhile. */
  *range(
    numbers: readonly number[],
    range: TimeWindow,
    keys: readonly [RangeKey, RangeKey?],
    withUnstored: boolean,
  ): Generator<undefined, RangeFigures> {
    const tracks = numbers.map((number) => this.#track(number)).filter(isShownEventTrack);
    const statistics = yield* trackStatistics(
      tracks,
      range,
      keyOfEvent(this.#data, keys),
      kindsOfKeys(keys),
    );
    const unstored = withUnstored ? yield* unstoredCalls(this.#data, range) : [];
    return { statistics, unstored: [...unstored] };
  }

  #placed(hit: EventHit | undefined): PlacedEvent | null {
    if (hit === undefined) return null;
    const { track, lane, index } = hit;
    const event = refOf(hit);
    const own = event && eventColumns(this.#data.tables, event.table)?.thread?.[event.row];
    return {
      ...(event !== undefined && { event }),
      trackId: track.id,
      line: lineOf(hit),
      startNs: lane.times.startNs(index),
      durationNs: lane.times.durationNs(index),
      colour: lane.colours[index],
      kind: track.kindOf(lane, index),
      name: track.nameOf(lane, index),
      thread: own ?? threadAt(track, lane.times.startNs(index)) ?? -1,
    };
  }
}

const isShownEventTrack = (track: Track | undefined): track is EventTrack =>
  track !== undefined && isEventTrack(track);

/** All CUDA calls on one line, or what the trace has instead. */
function overviewTrack(data: TraceData): EventTrack | undefined {
  const lane = overviewLane(data);
  if (lane === undefined) return undefined;
  return {
    ...{ id: OVERVIEW_ID, kind: 'events', label: '', detail: '', badge: '', provenance: '' },
    expandable: false,
    summary: () => lane.value(),
    lanes: () => [lane.value()],
    nameOf: () => '',
    kindOf: () => 0,
    kindName: () => '',
    kinds: () => new Map(),
  };
}

/** Threads that made CUDA calls, the one with most of them first. */
function callers({ tables }: TraceData): number[] {
  const calls = eventColumns(tables, 'cuda_call');
  if (calls === undefined) return [];
  const byThread = [...rowsByKey(calls, 'thread', calls.thread)];
  return byThread.sort(([, a], [, b]) => b.length - a.length).map(([thread]) => thread);
}

/** On which line of a track its event is, where that shows all. */
function lineOf({ track, lane, index }: EventHit): number {
  if (lane === track.ground?.()) return GROUND;
  if (!track.expandable) return 0;
  const lanes = track.lanes();
  const own = lanes.indexOf(lane);
  if (own >= 0) return own;
  const startNs = lane.times.startNs(index);
  const line = lanes.findIndex((each) => {
    for (let at = firstStartingAt(each, startNs); each.times.startNs(at) === startNs; at++)
      if (each.rows.at(at) === lane.rows.at(index)) return true;
    return false;
  });
  return Math.max(0, line);
}

function toldTrack(track: Track, number: number): ToldTrack {
  switch (track.kind) {
    case 'line': {
      const { samples, ...told } = track;
      return { ...told, number };
    }
    case 'buckets': {
      const { buckets, ...told } = track;
      return { ...told, number };
    }
    default: {
      const { summary, lanes, ground, nameOf, kinds, kindOf, kindName, picked, ...told } = track;
      return { ...told, number, hasGround: ground !== undefined };
    }
  }
}

function partOf(track: EventTrack, part: number): EventLane | undefined {
  if (part === SUMMARY) return track.summary();
  return part === GROUND ? track.ground?.() : track.lanes()[part];
}

function toldLane(
  number: number,
  track: EventTrack,
  part: number,
  wanted: readonly TileRun[],
  filter: TrackFilter | undefined,
): ToldLane | undefined {
  const whole = partOf(track, part);
  if (whole === undefined) return undefined;
  const lane = filter === undefined ? whole : matchedLane(track, whole, filter);
  const kindOf = (index: number) => track.kindOf(lane, index);
  const tiles = tilesOf(wanted, (level, index) => makeTile(lane, kindOf, level, index));
  const names = namesOf(tiles, (_, events, at) => nameOf(track, lane, events, at));
  return {
    ...{ track: number, part, meanNs: lane.meanNs, tiles, names },
    ...(part >= 0 && { lines: track.lanes().length }),
  };
}

/** A tile's event as its lane has it: names are told by the lane. */
function nameOf(track: EventTrack, lane: EventLane, events: LaneTileEvents, at: number): string {
  let index = firstStartingAt(lane, events.startNs[at]);
  while (
    lane.rows.at(index) !== events.rows[at] &&
    lane.times.startNs(index + 1) === events.startNs[at]
  )
    index++;
  return track.nameOf(lane, index);
}

type LaneTileEvents = Pick<OwnEvents, 'startNs' | 'rows'>;

/** Works out, piece by piece, what takes longest when the answers about a trace are made. */
export function* prepareTimeline(data: TraceData): Generator<undefined, void> {
  for (const table of threadTables) {
    const columns = eventColumns(data.tables, table);
    if (columns !== undefined) rowsByKey(columns, 'thread', columns.thread);
    yield;
  }
  rowsByCpu(data.tables);
  yield;
  const overview = overviewLane(data);
  if (overview !== undefined) yield* overview.prepare();
  yield;
  yield* launchersInPieces(data);
  yield;
  yield* slowestCallInPieces(data);
  yield;
}

/** The answers about a trace, made when first asked for, and kept with its data. */
export function timelineAnswers(data: TraceData, first = 0): TimelineAnswers {
  return remember(data, `answers from ${first}`, () => new TimelineAnswers(data, first));
}
