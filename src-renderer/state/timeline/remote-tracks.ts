import type { PlacedEvent } from '../../../src-main/shared/answers/placed-event.ts';
import type { ToldGroup, ToldTrack } from '../../../src-main/shared/answers/told-tracks.ts';
import { buildLane, type EventLane, ownEvents } from '../../../src-main/timeline/model/pyramid.ts';
import {
  type EventKinds,
  isEventTrack,
  type LaneView,
  NO_ROW,
  type Track,
  type TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';
import type { TiledLane } from '../../../src-main/timeline/tiles/join-tiles.ts';
import { GROUND, SUMMARY } from '../../../src-main/timeline/tiles/tile-answers.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import type { TileStore } from './tile-store.svelte.ts';

/** Where the tracks have what they hold from. */
interface Source {
  readonly tiles: TileStore;
  kinds(track: number): EventKinds | undefined;
  kindName(track: number, kind: number): string;
}

/** A density shows what computed and what copied. */
const DENSITY_LINES = 2;

/** The number by which a track is asked about; undefined where the page works it out, and has it whole. */
export function numberOf(track: Track): number | undefined {
  return (track as { readonly number?: number }).number;
}

export function remoteGroup(told: ToldGroup, source: Source): TrackGroup {
  return { ...told, tracks: told.tracks.map((track) => remoteTrack(track, source)) };
}

function remoteTrack(told: ToldTrack, source: Source): Track {
  const { tiles } = source;
  const { number } = told;
  switch (told.kind) {
    case 'line':
      return { ...told, samples: (view) => tiles.samples(number, view) };
    case 'buckets':
      return { ...told, buckets: () => tiles.buckets(number) };
    default: {
      const { hasGround, ...plain } = told;
      const lanes = (view?: LaneView) => {
        const count = told.kind === 'density' ? DENSITY_LINES : tiles.lineCount(number);
        return Array.from({ length: count }, (_, line) => tiles.lane(number, line, view));
      };
      const kindOf = (lane: EventLane, index: number) => (lane as TiledLane).kinds[index] ?? -1;
      return {
        ...plain,
        summary: (view) => tiles.lane(number, SUMMARY, view),
        lanes,
        ...(hasGround && { ground: (view?: LaneView) => tiles.lane(number, GROUND, view) }),
        kindOf,
        nameOf: (lane, index) => nameOfHit.get(lane) ?? tiles.nameOf(number, kindOf(lane, index)),
        kinds: () => source.kinds(number),
        kindName: (kind) => source.kindName(number, kind),
        picked: (filter, line, view) => tiles.lane(number, line < 0 ? SUMMARY : line, view, filter),
      };
    }
  }
}

/** What the event of a lane of its own is called. */
const nameOfHit = new WeakMap<EventLane, string>();

/** An event that was told, on its track, in a lane of its own; nothing where the page has no such track of events. */
export function hitOf(track: Track | undefined, placed: PlacedEvent): EventHit | undefined {
  if (track === undefined || !isEventTrack(track)) return undefined;
  const lane: TiledLane = {
    ...buildLane(
      ownEvents({
        startNs: Float64Array.of(placed.startNs),
        durationNs: Float64Array.of(placed.durationNs),
        rows: Uint32Array.of(placed.event?.row ?? NO_ROW),
        colours: Uint8Array.of(placed.colour),
      }),
    ),
    kinds: Uint32Array.of(placed.kind),
  };
  nameOfHit.set(lane, placed.name);
  return { track, lane, index: 0, line: placed.line };
}
