import type { TableName } from '../model/schema.ts';

/** A stretch of time, ns from the trace's begin. */
interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
}

/** One of several threads that a track shows, one after the other. */
export interface TrackPart {
  /** Indexes into threads and processes. */
  readonly thread: number;
  readonly process: number;
  readonly pid: number;
  /** From when on the track shows it, until the next one. */
  readonly startNs: number;
}

/** What a track of the timeline says of itself. */
interface TrackFacts {
  /** The same for every version of a trace’s data, so that pins and hidden tracks stay. */
  readonly id: string;
  readonly label: string;
  /** What tells it from tracks with the same label: a pid, a thread. */
  readonly detail: string;
  /** How far its table is known, in a word or two; empty where it is exact. */
  readonly badge: string;
  /** The badge in a sentence. */
  readonly provenance: string;
  /** Outside this the source has no data for the track. Absent = the whole trace. */
  readonly recorded?: Stretch;
  /** What is said there instead of “not recorded”. */
  readonly unrecorded?: string;
  /** What is said where it has no event: its source records only at times, so that it may not have been idle there. */
  readonly between?: string;
  readonly pid?: number;
  /** Index into processes, where its events are of one. */
  readonly process?: number;
  /**
   * Where it shows several processes one after the other, as a DataLoader worker of one epoch after that of another: the main
   * thread of each, in order of time. Its pid, process and thread are those of the first.
   */
  readonly parts?: readonly TrackPart[];
  /** Id of the track of its group under which it is folded. */
  readonly under?: string;
  /** Index into hosts, in a trace of several. */
  readonly host?: number;
  /** Its events are put together from samples this far apart, ns: their edges lie up to that far off. */
  readonly sampledEveryNs?: number;
  /** The table its rows are of; absent where they are of none, and can’t be selected. */
  readonly table?: TableName;
}

/** Things that happened, on one line or several. */
export interface EventTrackFacts extends TrackFacts {
  /** A `density` shows for each pixel which share of it the events of its lanes fill. */
  readonly kind: 'events' | 'states' | 'marks' | 'density';
  /** Index into threads; absent where the track is of no single thread. */
  readonly thread?: number;
  /** Whether it has more to show when expanded. */
  readonly expandable: boolean;
}

/** A value over time. */
export interface LineTrackFacts extends TrackFacts {
  readonly kind: 'line';
  /** From one sample to the next, in order of time: nothing is drawn in between. */
  readonly gaps: readonly Stretch[];
  /** Lowest and highest value of the axis. */
  readonly domain: readonly [low: number, high: number];
  readonly unit: string;
}

/** Counts per time bucket, where the source kept no single events. */
export interface BucketTrackFacts extends TrackFacts {
  readonly kind: 'buckets';
  /** What the source calls the counted events, and its palette index. */
  readonly op: string;
  readonly colour: number;
  readonly highest: number;
  readonly bucketNs: number;
}

/**
 * A track as the process that has the trace tells it: all but what is drawn, which is asked for by what is on the screen
 * (tiles).
 */
interface Told {
  /** By which its tiles are asked for; the same as long as the trace is open and its roles are not changed. */
  readonly number: number;
}

export type ToldEventTrack = EventTrackFacts & Told & { readonly hasGround: boolean };
type ToldLineTrack = LineTrackFacts & Told;
type ToldBucketTrack = BucketTrackFacts & Told;

export type ToldTrack = ToldEventTrack | ToldLineTrack | ToldBucketTrack;

export interface ToldGroup {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly startsCollapsed?: true;
  /** Its tracks stand under those that they are folded under. */
  readonly foldsTracks?: true;
  readonly tracks: readonly ToldTrack[];
}

export interface ToldTracks {
  /** Without the steps and what is proven of an idle GPU: they come with the diagnosis. The GPU's may be empty. */
  readonly groups: readonly ToldGroup[];
  /** Number of the track of the minimap. */
  readonly overview?: number;
  readonly lost: readonly {
    readonly startNs: number;
    readonly endNs: number;
    readonly table: TableName | undefined;
    readonly host?: number;
  }[];
  /** The slowest outermost copy, or call where there is no copy: a row of cuda_call. */
  readonly slowest?: { readonly row: number; readonly isCopy: boolean };
  /** Threads that made CUDA calls, the one with most of them first: indexes into threads. */
  readonly callers: readonly number[];
}

/** Of a track, the kinds of its events: what each is found by, and its longest event, ns. */
export interface ToldKinds {
  readonly track: number;
  readonly kinds: readonly (readonly [kind: number, name: string, longestNs: number])[];
}
