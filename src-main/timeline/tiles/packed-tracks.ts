import type {
  ToldGroup,
  ToldKinds,
  ToldTrack,
  ToldTracks,
} from '../../shared/answers/told-tracks.ts';
import { type PackedRecords, packRecords, unpackRecords } from '../../shared/rpc/packed-records.ts';

/** The tracks of all groups, one after the other. */
export interface PackedTracks extends Omit<ToldTracks, 'groups'> {
  /** Each with the number of its tracks. */
  readonly groups: readonly (Omit<ToldGroup, 'tracks'> & { readonly count: number })[];
  readonly tracks: PackedRecords;
}

/** What is told of the tracks, as it is sent: of 65,536 threads it would be 25 MB else. */
export function packTracks(told: ToldTracks): PackedTracks {
  return {
    ...told,
    groups: told.groups.map(({ tracks, ...group }) => ({ ...group, count: tracks.length })),
    tracks: packRecords(told.groups.flatMap(({ tracks }) => tracks)),
  };
}

export function unpackTracks({ tracks, groups, ...told }: PackedTracks): ToldTracks {
  const all = unpackRecords(tracks) as ToldTrack[];
  let next = 0;
  return {
    ...told,
    groups: groups.map(({ count, ...group }) => {
      const from = next;
      next += count;
      return { ...group, tracks: all.slice(from, next) };
    }),
  };
}

/** Kinds of events of tracks; of one without events nothing is said. */
export interface PackedKinds {
  readonly kinds: PackedRecords;
  /** The longest event of each kind of each track, one track after the other, ns. */
  readonly longest: readonly number[];
}

/** Of a track its kinds, which many tracks share. */
interface KindsRecord {
  readonly track: number;
  readonly kinds: readonly (readonly [kind: number, name: string])[];
}

export function packKinds(told: readonly ToldKinds[]): PackedKinds {
  const some = told.filter(({ kinds }) => kinds.length > 0);
  const records = some.map(
    ({ track, kinds }): KindsRecord => ({
      track,
      kinds: kinds.map(([kind, name]) => [kind, name] as const),
    }),
  );
  const longest = some.flatMap(({ kinds }) => kinds.map(([, , longestNs]) => longestNs));
  return { kinds: packRecords(records), longest };
}

export function unpackKinds({ kinds: packed, longest }: PackedKinds): ToldKinds[] {
  let next = 0;
  return (unpackRecords(packed) as KindsRecord[]).map(({ track, kinds }) => ({
    track,
    kinds: kinds.map(([kind, name]) => [kind, name, longest[next++] ?? 0] as const),
  }));
}
