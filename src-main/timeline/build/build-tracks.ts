import type { IntegerArray } from '../../shared/model/columns.ts';
import { lostTable } from '../../shared/model/lost-table.ts';
import { type CollectedAfterUse, collectedAfterUse } from '../../shared/until-collected.ts';
import {
  allRows,
  type EventColumns,
  eventColumns,
  gatherEventsInPieces,
} from '../model/event-source.ts';
import { buildLaneInPieces, type EventLane } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import { type TraceNames, traceNames } from '../model/trace-names.ts';
import type { LostStretch, Track, TrackGroup } from '../model/track-model.ts';
import { eventGroup } from './event-groups.ts';
import { idleTracks } from './idle-tracks.ts';
import { cpuGroup, gpuGroups, saysBusy, systemGroups } from './machine-groups.ts';
import { processGroups } from './process-groups.ts';
import { stepGroup } from './step-tracks.ts';

/** A trace's tracks in the order of the screen. Groups without tracks are left out. */
export function buildTrackGroups(data: TraceData): TrackGroup[] {
  return withJudged(recordedGroups(data), data.steps);
}

/** The tracks of what was recorded. The first GPU's group may be empty: what is proven of it belongs there. */
export function recordedGroups(data: TraceData): TrackGroup[] {
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const gpus = gpuGroups(data, names);
  const others = [
    ...processGroups(data, names),
    cpuGroup(data, names),
    ...systemGroups(data, names),
    eventGroup(data, names),
  ];
  return [...gpus, ...others.filter((group) => group.tracks.length > 0)];
}

/** `groups`, with the steps on top and in the first GPU's group what is proven of an idle GPU. */
export function withJudged(
  groups: readonly TrackGroup[],
  steps: TraceData['steps'] = [],
): TrackGroup[] {
  const [gpu, ...others] = groups;
  const idle = idleTracks(steps);
  const isGpu = gpu?.id.startsWith('gpu:') === true;
  const judged = isGpu ? [{ ...gpu, tracks: withIdle(gpu.tracks, idle) }, ...others] : groups;
  return [stepGroup(steps), ...judged].filter((group) => group.tracks.length > 0);
}

/** Behind what says the same of a GPU by its own record, or by samples. */
function withIdle(tracks: readonly Track[], idle: readonly Track[]): Track[] {
  const at = tracks.findLastIndex(saysBusy) + 1;
  return [...tracks.slice(0, at), ...idle, ...tracks.slice(at)];
}

interface GapColumns extends EventColumns {
  readonly host?: IntegerArray;
}

/** Where the recorder lost events, for every track of the table that lost them. */
export function lostStretches(data: TraceData): LostStretch[] {
  const columns = eventColumns(data.tables, 'gap') as GapColumns | undefined;
  if (columns === undefined) return [];
  return Array.from(columns.startNs, (startNs, row) => ({
    startNs,
    endNs: startNs + Math.max(0, columns.durationNs?.[row] ?? 0),
    table: lostTable(data.summary, columns.op?.[row] ?? -1),
    ...((columns.host?.[row] ?? -1) >= 0 && { host: columns.host?.[row] as number }),
  }));
}

function overviewEvents(
  data: TraceData,
  names: TraceNames,
): CollectedAfterUse<EventLane> | undefined {
  for (const table of ['cuda_call', 'gpu_work', 'off_cpu', 'on_cpu', 'range'] as const) {
    const columns = eventColumns(data.tables, table);
    if (columns === undefined || columns.startNs.length === 0) continue;
    const colourOf = (row: number) => names.nameColour(columns.op?.[row] ?? -1);
    return remember(columns, 'overview', () =>
      collectedAfterUse(function* () {
        return yield* buildLaneInPieces(
          yield* gatherEventsInPieces(columns, allRows(columns), colourOf),
        );
      }),
    );
  }
  return undefined;
}

/** One lane for the minimap, which is drawn of it once: all CUDA calls, or what the trace has instead. */
export function overviewLane(data: TraceData): CollectedAfterUse<EventLane> | undefined {
  return overviewEvents(
    data,
    remember(data.summary, 'names', () => traceNames(data.summary)),
  );
}
