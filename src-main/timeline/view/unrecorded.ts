import type { TimeWindow } from '../model/time-window.ts';
import type { Track } from '../model/track-model.ts';

/** A stretch at least this wide says in words that nothing was recorded, CSS pixels. */
export const UNRECORDED_LABEL_PIXELS = 90;

/** Where, before and after, the source recorded nothing of a track, as far as `window` shows. */
export function unrecordedStretches({ recorded }: Track, window: TimeWindow): TimeWindow[] {
  if (recorded === undefined) return [];
  const before = { startNs: window.startNs, endNs: Math.min(recorded.startNs, window.endNs) };
  const after = { startNs: Math.max(recorded.endNs, window.startNs), endNs: window.endNs };
  return [before, after].filter(({ startNs, endNs }) => endNs > startNs);
}

/** What is said in such a stretch. */
export const unrecordedText = ({ unrecorded }: Track): string => unrecorded ?? 'not recorded';
