import type { TableName } from '../model/schema.ts';

/**
 * The tracks of a trace's timeline as the process that has the trace tells them: all but what is drawn, which is asked for
 * by what is on the screen (tiles). See timeline/model/track-model.ts for what the fields mean.
 */
interface ToldTrackBase {
  /** By which its tiles are asked for; the same as long as the trace is open and its roles are not changed. */
  readonly number: number;
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly badge: string;
  readonly provenance: string;
  readonly recorded?: { readonly startNs: number; readonly endNs: number };
  readonly unrecorded?: string;
  readonly pid?: number;
  readonly process?: number;
  readonly host?: number;
  readonly sampledEveryNs?: number;
  readonly table?: TableName;
}

export interface ToldEventTrack extends ToldTrackBase {
  readonly kind: 'events' | 'states' | 'marks' | 'density';
  readonly thread?: number;
  readonly expandable: boolean;
  readonly hasGround: boolean;
}

interface ToldLineTrack extends ToldTrackBase {
  readonly kind: 'line';
  readonly gaps: readonly { readonly startNs: number; readonly endNs: number }[];
  readonly domain: readonly [low: number, high: number];
  readonly unit: string;
}

interface ToldBucketTrack extends ToldTrackBase {
  readonly kind: 'buckets';
  readonly op: string;
  readonly colour: number;
  readonly highest: number;
  readonly bucketNs: number;
}

export type ToldTrack = ToldEventTrack | ToldLineTrack | ToldBucketTrack;

export interface ToldGroup {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly startsCollapsed?: true;
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
