import {
  eventColumns,
  remember,
  rowsByKey,
} from '../../../src-main/timeline/model/event-source.ts';
import type { EventLane } from '../../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { type EventTrack, isEventTrack } from '../../../src-main/timeline/model/track-model.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';
import { type NameStatistics, rangeStatistics } from './range-statistics.ts';

/** Whose events a range's statistics count. */
interface RangeScope {
  readonly label: string;
  readonly tracks: readonly EventTrack[];
  /** Whether it is every CUDA call of the trace. */
  readonly isAllCalls: boolean;
}

/** The focused track, or all CUDA calls where that has no durations. */
export function rangeScope(timeline: TimelineState): RangeScope {
  const row = timeline.tracks.focused;
  if (row?.kind === 'track' && isEventTrack(row.track) && row.track.kind !== 'marks')
    return {
      label: timeline.labelOf(row),
      tracks: [row.track],
      isAllCalls: row.track.table === 'cuda_call' && callers(timeline.data).length === 1,
    };
  const tracks = timeline.groups
    .flatMap((group) => group.tracks)
    .filter(isEventTrack)
    .filter((track) => track.table === 'cuda_call');
  return { label: 'CUDA calls', tracks, isAllCalls: true };
}

/** Whose wait chain a range has: the focused track's thread, else the one with most CUDA calls. */
export function rangeThread(
  timeline: TimelineState,
): { readonly thread: number; readonly label: string } | undefined {
  const row = timeline.tracks.focused;
  const focused = row?.kind === 'track' && isEventTrack(row.track) ? row.track.thread : undefined;
  const { data } = timeline;
  const thread = focused ?? busiestCaller(data);
  if (thread === undefined || thread < 0) return undefined;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  return { thread, label: names.threadLabel(thread) };
}

function busiestCaller(data: TraceData): number | undefined {
  return callers(data).toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** Threads that made CUDA calls, and the rows of each. */
function callers({ tables }: TraceData): (readonly [thread: number, rows: Uint32Array])[] {
  const calls = eventColumns(tables, 'cuda_call');
  return calls === undefined ? [] : [...rowsByKey(calls, 'thread', calls.thread)];
}

/** Statistics of all events of the scope, nested ones too, by name. */
export function* scopeStatistics(
  scope: RangeScope,
  range: TimeWindow,
): Generator<undefined, NameStatistics[]> {
  const owners = new Map<EventLane, EventTrack>();
  for (const track of scope.tracks) {
    const ground = track.ground?.();
    for (const lane of track.lanes()) owners.set(lane, track);
    if (ground !== undefined) owners.set(ground, track);
  }
  const nameOf = (lane: EventLane, index: number) => owners.get(lane)?.nameOf(lane, index) ?? '';
  return yield* rangeStatistics([...owners.keys()], range, nameOf);
}
