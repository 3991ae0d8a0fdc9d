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
}

interface KindRecord {
  readonly track: number;
  readonly kind: number;
  readonly name: string;
  readonly longestNs: number;
}

export function packKinds(told: readonly ToldKinds[]): PackedKinds {
  const records = told.flatMap(({ track, kinds }) =>
    kinds.map(([kind, name, longestNs]): KindRecord => ({ track, kind, name, longestNs })),
  );
  return { kinds: packRecords(records) };
}

export function unpackKinds({ kinds }: PackedKinds): ToldKinds[] {
  const byTrack = Map.groupBy(unpackRecords(kinds) as KindRecord[], ({ track }) => track);
  return Array.from(byTrack, ([track, own]) => ({
    track,
    kinds: own.map(({ kind, name, longestNs }) => [kind, name, longestNs] as const),
  }));
}
