import { formatCount } from '../../shared/text/units.ts';
import { GPU_COLOUR } from '../model/colours.ts';
import { buildLane, ownEvents } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TimeWindow } from '../model/time-window.ts';
import type { StepsOfRank, TraceView } from '../model/trace-data.ts';
import { type EventTrack, NO_ROW } from '../model/track-model.ts';

/** By the GPU's own records. */
export const busyTrackId = (gpu: number): string => `gpu_busy:${gpu}`;
export const idleTrackId = (mainThread: number): string => `gpu-idle:${mainThread}`;

/** When the GPU of each rank is proven to be idle, without its own records: with them it has tracks of its own. */
export function idleTracks(ranks: readonly StepsOfRank[]): EventTrack[] {
  return ranks.flatMap((rank) =>
    rank.idle === undefined ? [] : [idleTrack(rank, rank.idle, ranks.length > 1)],
  );
}

export const IDLE = 'GPU idle';

function idleTrack(
  rank: StepsOfRank,
  { spans, count, note }: NonNullable<StepsOfRank['idle']>,
  isOneOfSeveral: boolean,
): EventTrack {
  const lane = () =>
    remember(rank, 'idle', () =>
      buildLane(
        ownEvents({
          startNs: Float64Array.from(spans, ([startNs]) => startNs),
          durationNs: Float64Array.from(spans, ([startNs, endNs]) => endNs - startNs),
          rows: new Uint32Array(spans.length).fill(NO_ROW),
          colours: new Uint8Array(spans.length).fill(GPU_COLOUR),
        }),
      ),
    );
  const longestNs = spans.reduce((most, [startNs, endNs]) => Math.max(most, endNs - startNs), 0);
  const shown =
    spans.length < count ? `, ${formatCount(spans.length)} of ${formatCount(count)}` : '';
  return {
    ...{ id: idleTrackId(rank.mainThread), kind: 'events', expandable: false },
    ...{ badge: 'at least', provenance: note },
    label: IDLE,
    detail: `${isOneOfSeveral ? rank.label : 'proven'}${shown}`,
    summary: lane,
    lanes: () => [lane()],
    kindOf: () => 0,
    kindName: () => IDLE,
    kinds: () => new Map([[0, longestNs]]),
    nameOf: () => `${IDLE}: all submitted work was done`,
  };
}

/** The stretch that an event of a track is, and whose, if that track tells when a GPU was idle. */
export function idleAt(
  data: TraceView,
  trackId: string,
  index: number,
): (TimeWindow & { readonly mainThread: number }) | undefined {
  const rank = data.steps?.find(({ mainThread }) => idleTrackId(mainThread) === trackId);
  const span = rank?.idle?.spans[index];
  if (rank === undefined || span === undefined) return undefined;
  const [startNs, endNs] = span;
  return { mainThread: rank.mainThread, startNs, endNs };
}
