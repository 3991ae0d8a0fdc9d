import { remember } from '../../../src-main/timeline/model/remember.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { isEventTrack, threadAt } from '../../../src-main/timeline/model/track-model.ts';
import type { TimelineState } from './timeline.svelte.ts';

/** Whose wait chain a range has: at its begin the first thread it was dragged over, else the focused track's, else the one with most CUDA calls. */
export function rangeThread(
  timeline: TimelineState,
  { startNs }: TimeWindow,
): { readonly thread: number; readonly label: string } | undefined {
  const dragged = new Set(timeline.selection.rangeTracks);
  const threads = timeline.allTracks.map((track) =>
    isEventTrack(track) && dragged.has(track.id) ? threadAt(track, startNs) : undefined,
  );
  const row = timeline.tracks.focused;
  const focused =
    row?.kind === 'track' && isEventTrack(row.track) ? threadAt(row.track, startNs) : undefined;
  const { data, source } = timeline;
  const thread = threads.find((each) => each !== undefined) ?? focused ?? source.callers[0];
  if (thread === undefined || thread < 0) return undefined;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  return { thread, label: names.threadLabel(thread) };
}
