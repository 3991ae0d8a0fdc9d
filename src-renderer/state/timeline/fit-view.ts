import type { SavedView } from '../../../src-main/shared/library/view.ts';
import { firstTab } from '../../../src-main/shared/tabs/tabs.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { SavedTracks } from '../../../src-main/timeline/view/track-view.ts';

/** The part of a stretch that lies in a trace of `lengthNs`; nothing where that is none. */
function fitTimes(times: TimeWindow | undefined, lengthNs: number): TimeWindow | undefined {
  if (times === undefined || times.startNs >= lengthNs) return undefined;
  return { startNs: times.startNs, endNs: Math.min(times.endNs, lengthNs) };
}

function isUntouched({ filter, ...lists }: SavedTracks): boolean {
  return filter === '' && Object.values(lists).every((ids) => (ids ?? []).length === 0);
}

/**
 * A view without what says nothing (the whole trace, tracks as they come) and without what a trace
 * of `lengthNs` does not have: it may have been saved for another version of the file.
 */
export function fitView(view: SavedView, lengthNs: number): SavedView {
  const { tab, rangeTracks, event, tracks, flame, traceml } = view;
  const window = fitTimes(view.window, lengthNs);
  const range = fitTimes(view.range, lengthNs);
  const isWhole = window === undefined || (window.startNs <= 0 && window.endNs >= lengthNs);
  return {
    tab,
    ...(!isWhole && { window }),
    ...(range !== undefined && { range }),
    ...(range !== undefined && rangeTracks !== undefined && { rangeTracks }),
    ...(event !== undefined && { event }),
    ...(tracks !== undefined && !isUntouched(tracks) && { tracks }),
    ...(flame !== undefined && { flame }),
    ...(traceml !== undefined && { traceml }),
  };
}

/** Whether there is nothing in a view but the screen a trace opens with. */
export function isFirstView(view: SavedView): boolean {
  return view.tab === firstTab && Object.keys(view).length === 1;
}
