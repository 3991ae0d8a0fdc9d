import type { ChainSegment } from '../../src-main/shared/answers/wait-chain.ts';
import { trackOfThread } from '../../src-main/timeline/view/chain-tracks.ts';
import { type ChartSpan, clippedStretch } from '../../src-main/timeline/view/chart-span.ts';
import { TRACK_PADDING, type TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { onChart, type RowScroll } from './row-scroll.ts';

/** More than these are a thicket: those of the shorter waits are left out. */
const MAX_LINKS = 8;
/** A wait must be so wide that it can be seen where its link begins. */
const MIN_PIXELS = 4;

/** A wait for a CPU, and the rows of who waited and of who had that CPU for most of it. */
interface HeldWait {
  readonly startNs: number;
  readonly endNs: number;
  readonly from: TrackRow;
  readonly to: TrackRow;
}

/** The waits of a chain of which both are among `rows`: a holder on a row of its own, else on that of the CPU. */
export function heldWaits(
  segments: readonly ChainSegment[],
  rows: readonly TrackRow[],
): readonly HeldWait[] {
  const tracks = rows.map(({ track }) => track);
  const known = new Map<string, TrackRow | undefined>();
  const rowOf = (thread: number, cpu: number | undefined) => {
    const key = `${thread} ${cpu}`;
    if (!known.has(key)) {
      const track = trackOfThread(tracks, thread, cpu);
      known.set(key, track && rows[tracks.indexOf(track)]);
    }
    return known.get(key);
  };
  return segments.flatMap(({ thread, ran, cpu, startNs, endNs }) => {
    const [most] = ran ?? [];
    const from = most && rowOf(thread.thread, undefined);
    const to = most && rowOf(most.thread.thread, cpu);
    return from === undefined || to === undefined || from === to
      ? []
      : [{ startNs, endNs, from, to }];
  });
}

/** A line from a wait up or down to who held the CPU, CSS pixels. */
interface HolderLink {
  readonly x: number;
  readonly fromY: number;
  readonly toY: number;
}

/** The links of the waits in view, of the longest ones; none to or from a row that is scrolled beneath those that stay. */
export function holderLinks(
  span: ChartSpan,
  waits: readonly HeldWait[],
  scroll: RowScroll,
): HolderLink[] {
  const isSeen = ({ y }: TrackRow) => y < scroll.fixed || onChart(y, scroll) >= scroll.fixed;
  return waits
    .flatMap((wait) => {
      const place = clippedStretch(span, wait);
      if (place === undefined || !isSeen(wait.from) || !isSeen(wait.to)) return [];
      const { left, right } = place;
      return right - left < MIN_PIXELS ? [] : [{ ...wait, left, right }];
    })
    .sort((a, b) => b.right - b.left - (a.right - a.left))
    .slice(0, MAX_LINKS)
    .map(({ left, right, from, to }) => {
      const isDown = to.y > from.y;
      const edge = ({ y, height }: TrackRow, isLower: boolean) =>
        onChart(y, scroll) + (isLower ? height - TRACK_PADDING : TRACK_PADDING);
      return { x: (left + right) / 2, fromY: edge(from, isDown), toY: edge(to, !isDown) };
    });
}
