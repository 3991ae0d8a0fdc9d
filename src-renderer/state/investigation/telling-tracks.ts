import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import type { Track, TrackGroup } from '../../../src-main/timeline/model/track-model.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import type { TimelineState } from '../timeline/timeline.svelte.ts';
import type { ChainState } from './chain.svelte.ts';
import { focusTracks } from './focus-tracks.ts';
import { mainThread } from './main-thread.ts';

/** What is looked at, and what is known of it so far. */
interface Looked {
  readonly data: TraceView | undefined;
  readonly timeline: TimelineState | undefined;
  readonly selection: Pick<Selection, 'event' | 'range' | 'rangeTracks'>;
  readonly chain: Pick<ChainState, 'asked' | 'value'>;
  readonly explanation: { readonly value: CallExplanation | undefined };
  readonly diagnosis: { readonly value: Diagnosis | undefined };
}

/**
 * The tracks that tell of what is looked at, from top to bottom: of the stretch whose chain was asked for, else of the
 * selected event, else of the training thread in the selected range. An event on a track that tells of the last call
 * changes nothing: it is a part of that picture.
 */
export function tellingTracks(groups: readonly TrackGroup[], looked: Looked): Track[] {
  const { data, timeline, selection, chain, explanation, diagnosis } = looked;
  const { asked, value } = chain;
  const ofStretch = (thread: number, waits: typeof value) => [
    ...new Set([...focusTracks(groups, thread, waits), ...draggedOver(groups, selection)]),
  ];
  if (asked !== undefined) return ofStretch(asked.thread, value);
  if (data === undefined || timeline === undefined) return [];
  const hit = timeline.selected ?? timeline.workedOut;
  const { event } = selection;
  if (hit === undefined && event === undefined)
    return selection.range === undefined
      ? []
      : ofStretch(mainThread(diagnosis.value) ?? -1, undefined);
  const explained = explanation.value;
  const ofExplained =
    explained === undefined
      ? []
      : ofCall(groups, timeline, { row: explained.call.row, chain: value });
  const told = event && timeline.told;
  const row = told?.submission.call ?? -1;
  if (row < 0 && hit !== undefined && ofExplained.includes(hit.track)) return ofExplained;
  if (row >= 0 && row === explained?.call.row) return ofExplained;
  if (row >= 0) return ofCall(groups, timeline, { row, chain: undefined });
  // What is no row of a table, such as running, is on a track of its thread.
  const thread = told?.thread ?? hit?.track.thread ?? -1;
  return thread < 0 ? [] : focusTracks(groups, thread, undefined);
}

/** As many rows as were dragged over and stay in view with the others. */
const DRAGGED_ROWS = 6;

/** What somebody dragged over does not fold away because it is explained. */
function draggedOver(groups: readonly TrackGroup[], { rangeTracks }: Looked['selection']): Track[] {
  const ids = new Set(rangeTracks.slice(0, DRAGGED_ROWS));
  return ids.size === 0
    ? []
    : groups.flatMap(({ tracks }) => tracks.filter(({ id }) => ids.has(id)));
}

/** As `focusTracks`; and below the calls what the GPU did for this one. */
function ofCall(
  groups: readonly TrackGroup[],
  { links, source }: TimelineState,
  { row, chain }: { row: number; chain: ChainState['value'] },
): Track[] {
  const thread = source.selectedOf({ table: 'cuda_call', row })?.thread ?? -1;
  if (thread < 0) return [];
  const tracks = focusTracks(groups, thread, chain);
  if (links === undefined || links.call.lane.rows.at(links.call.index) !== row) return tracks;
  const works = links.works.map(({ track }) => track);
  const at = tracks.indexOf(links.call.track) + 1;
  return [...new Set([...tracks.slice(0, at), ...works, ...tracks.slice(at)])];
}
