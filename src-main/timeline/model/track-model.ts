import type {
  BucketTrackFacts,
  EventTrackFacts,
  LineTrackFacts,
} from '../../shared/answers/told-tracks.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { EventLane } from './pyramid.ts';
import type { TimeWindow } from './time-window.ts';

/** The row of an event that is in no table: worked out, as running between two off-CPU intervals. */
export const NO_ROW = 0xffffffff;

let noRow = new Uint32Array(0);

/** Rows of so many events that are in no table: lanes share them. */
export function noRows(length: number): Uint32Array {
  if (noRow.length < length)
    noRow = new Uint32Array(Math.max(length, 2 * noRow.length)).fill(NO_ROW);
  return noRow.subarray(0, length);
}

/** What of a track is looked at: a stretch of time, and how much of it is a device pixel. */
export interface LaneView extends TimeWindow {
  readonly nsPerPixel: number;
}

/** Events of one kind have one name: an operation, a state. The longest of each, ns, by kind. */
export type EventKinds = ReadonlyMap<number, number>;

/**
 * Things that happened, on one line or several. A lane may hold no more than a view of it needs; without a view it is what
 * was asked for last.
 */
export interface EventTrack extends EventTrackFacts {
  /** The one line drawn while collapsed. Built when first drawn. */
  readonly summary: (view?: LaneView) => EventLane;
  /** All lines. Built when first expanded. */
  readonly lanes: (view?: LaneView) => readonly EventLane[];
  /**
   * Drawn below the summary: the time a thread ran. On the same line the long runs would win every
   * pixel and a thousand short waits would vanish when zoomed out.
   */
  readonly ground?: (view?: LaneView) => EventLane;
  readonly nameOf: (lane: EventLane, index: number) => string;
  /** All kinds of its events, nested ones too: what a filter asks instead of the events. Undefined = not known yet. */
  readonly kinds: () => EventKinds | undefined;
  readonly kindOf: (lane: EventLane, index: number) => number;
  readonly kindName: (kind: number) => string;
  /** Where lanes hold what a view needs: of those on line `line`, or (-1) on the one line of all, what a filter picks. */
  readonly picked?: (filter: string, line: number, view: LaneView) => EventLane;
}

/** Samples in order of time. */
export interface Samples {
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
}

export interface LineTrack extends LineTrackFacts {
  readonly samples: (view?: LaneView) => Samples;
}

/** How much happened in each of a row of stretches. */
interface BucketCounts {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly counts: Float64Array;
}

export interface BucketTrack extends BucketTrackFacts {
  readonly buckets: () => BucketCounts;
}

/** Time in which the recorder lost events: of one table, or of any where that is not known. */
export interface LostStretch extends TimeWindow {
  readonly table: TableName | undefined;
  /** Index into hosts; absent where any of them may be meant. */
  readonly host?: number;
}

/** Whether events of a track may be among those lost. */
export function mayBeLost(
  { table, host }: LostStretch,
  track: { readonly table?: TableName; readonly host?: number },
): boolean {
  const isHost = host === undefined || track.host === undefined || track.host === host;
  return isHost && (table === undefined || track.table === table);
}

export type Track = EventTrack | LineTrack | BucketTrack;

export interface TrackGroup {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  /** Shown without its tracks until the user opens it. */
  readonly startsCollapsed?: true;
  /** Its tracks stand under those that they are folded under; elsewhere each stands by itself. */
  readonly foldsTracks?: true;
  readonly tracks: readonly Track[];
}

/** Whether a track shows events of a thread. */
export function showsThread(track: Track, thread: number): boolean {
  if (track.parts !== undefined) return track.parts.some((part) => part.thread === thread);
  return isEventTrack(track) && track.thread === thread;
}

/** Whose events a track shows at a moment: index into threads; undefined where it is of no single thread. */
export function threadAt(track: EventTrack, ns: number): number | undefined {
  return track.parts?.findLast(({ startNs }) => startNs <= ns)?.thread ?? track.thread;
}

/** All threads whose events a track shows: indexes into threads. */
export function threadsOf({ parts, thread }: EventTrack): readonly number[] {
  return parts?.map((part) => part.thread) ?? (thread === undefined ? [] : [thread]);
}

/** Whether a track has lanes of events, which can be pointed at. */
export function isEventTrack(track: Track): track is EventTrack {
  return track.kind !== 'line' && track.kind !== 'buckets';
}
