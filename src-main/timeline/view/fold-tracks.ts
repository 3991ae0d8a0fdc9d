import type { Track } from '../model/track-model.ts';

/** A track as it stands in its group. */
export interface StandingTrack {
  readonly track: Track;
  /** How many tracks are folded under it, shown or not. */
  readonly folds: number;
  /** Id of the track that it stands under. */
  readonly lead?: string;
}

/** What decides whether a track is shown under another one. */
export interface FoldView {
  /** The tracks under it are shown. */
  readonly isOpen: (id: string) => boolean;
  /** Stands by itself, whatever it would be folded under. */
  readonly standsAlone: (id: string) => boolean;
}

/** The tracks of a group that are shown, each right after the one that it is folded under. One whose lead is not there stands by itself. */
export function foldTracks(
  tracks: readonly Track[],
  { isOpen, standsAlone }: FoldView,
): StandingTrack[] {
  if (tracks.every(({ under }) => under === undefined))
    return tracks.map((track) => ({ track, folds: 0 }));
  const there = new Set(tracks.map(({ id }) => id));
  const byLead = Map.groupBy(tracks, ({ id, under }) =>
    under !== undefined && there.has(under) && !standsAlone(id) ? under : undefined,
  );
  return (byLead.get(undefined) ?? []).flatMap((track): StandingTrack[] => {
    const under = byLead.get(track.id) ?? [];
    const shown = isOpen(track.id) ? under : [];
    return [
      { track, folds: under.length },
      ...shown.map((each) => ({ track: each, folds: 0, lead: track.id })),
    ];
  });
}
