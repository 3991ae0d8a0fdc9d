import type { ChainSegment } from '../../src-main/shared/answers/wait-chain.ts';
import { upperBound } from '../../src-main/shared/numbers/bisect.ts';
import { trackOfThread } from '../../src-main/timeline/view/chain-tracks.ts';
import { type ChartSpan, pixelsPerNs } from '../../src-main/timeline/view/chart-span.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';

/** From a track's lower edge to the path: below its events, which stay readable. */
const FOOT_PIXELS = 2.5;
/** A stretch at least this wide is drawn along its track; more narrow ones are one line down the tracks. */
const MIN_PIXELS = 1;

/** A chain laid out over the tracks; made anew when those change, not for each frame. */
export interface ChainLayout {
  /** In order of time, without gaps. */
  readonly segments: readonly ChainSegment[];
  /** Where each segment begins, and after them where the last ends, ns. */
  readonly edgesNs: Float64Array;
  /** Where each segment's track is, CSS px from the layout's top. */
  readonly y: Float64Array;
  /** 1 = its track is not among the rows: it is drawn at the height of one beside it in the chain. */
  readonly isSkipped: Uint8Array;
}

/** Where each segment of a chain is drawn; nothing where none of its tracks is among `rows`. */
export function layoutChain(
  segments: readonly ChainSegment[],
  rows: readonly TrackRow[],
): ChainLayout | undefined {
  const tracks = rows.map(({ track }) => track);
  const places = new Map<string, number | undefined>();
  const placeOf = ({ thread: { thread }, cpu }: ChainSegment) => {
    const key = `${thread} ${cpu}`;
    if (!places.has(key)) {
      const track = trackOfThread(tracks, thread, cpu);
      const row = track && rows[tracks.indexOf(track)];
      places.set(key, row && row.y + row.height - FOOT_PIXELS);
    }
    return places.get(key);
  };
  const found = segments.map(placeOf);
  const first = found.find((y) => y !== undefined);
  if (first === undefined) return undefined;
  let last = first;
  const y = Float64Array.from(found, (place) => {
    last = place ?? last;
    return last;
  });
  const isSkipped = Uint8Array.from(found, (place) => (place === undefined ? 1 : 0));
  const edgesNs = new Float64Array(segments.length + 1);
  segments.forEach(({ startNs }, index) => {
    edgesNs[index] = startNs;
  });
  edgesNs[segments.length] = segments.at(-1)?.endNs ?? 0;
  return { segments, edgesNs, y, isSkipped };
}

/** One straight part of the path, CSS px; its heights are from the layout's top. */
export interface ChainStretch {
  readonly index: number;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly isSkipped: boolean;
}

/** A line down (or up) from track to track at one place of the time axis. */
export interface ChainTurn {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The part of the path that is in view: stretches wide enough to see, and the turns between tracks. */
export function chainShapes(
  { edgesNs, y, isSkipped }: ChainLayout,
  span: ChartSpan,
): { readonly stretches: readonly ChainStretch[]; readonly turns: readonly ChainTurn[] } {
  const { startNs, endNs } = span.window;
  const scale = pixelsPerNs(span);
  const xOf = (ns: number) => Math.min(span.width + 1, Math.max(-1, (ns - startNs) * scale));
  const stretches: ChainStretch[] = [];
  const turns: ChainTurn[] = [];
  let turn: ChainTurn | undefined;
  const first = Math.max(0, upperBound(edgesNs, startNs) - 1);
  for (let index = first; index < y.length && edgesNs[index] <= endNs; index++) {
    const left = xOf(edgesNs[index]);
    const right = xOf(edgesNs[index + 1]);
    const from = y[Math.max(0, index - 1)];
    const to = y[index];
    if (from !== to && index > 0) {
      // A thousand short segments in one pixel are one line.
      const joined = turn !== undefined && left - turn.x < MIN_PIXELS ? turn : undefined;
      if (joined !== undefined) turns.pop();
      turn = {
        x: joined?.x ?? left,
        top: Math.min(from, to, joined?.top ?? from),
        bottom: Math.max(from, to, joined?.bottom ?? to),
      };
      turns.push(turn);
    }
    if (right - left >= MIN_PIXELS)
      stretches.push({ index, left, right, y: to, isSkipped: isSkipped[index] === 1 });
  }
  return { stretches, turns };
}
