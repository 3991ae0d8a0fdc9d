import { lostTable } from '../../shared/model/lost-table.ts';
import {
  type EventColumns,
  eventColumns,
  gatherEvents,
  remember,
  rowsByKey,
} from '../model/event-source.ts';
import { buildLane, type EventLane } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import { type TraceNames, traceNames } from '../model/trace-names.ts';
import type { LostStretch, TrackGroup } from '../model/track-model.ts';
import { eventGroup } from './event-groups.ts';
import { cpuGroup, gpuGroups, systemGroups } from './machine-groups.ts';
import { processGroups } from './process-groups.ts';
import { stepGroup } from './step-tracks.ts';

/** A trace's tracks in the order of the screen. Groups without tracks are left out. */
export function buildTrackGroups(data: TraceData): TrackGroup[] {
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const groups = [
    stepGroup(data),
    ...gpuGroups(data, names),
    ...processGroups(data, names),
    cpuGroup(data, names),
    ...systemGroups(data, names),
    eventGroup(data, names),
  ];
  return groups.filter((group) => group.tracks.length > 0);
}

interface GapColumns extends EventColumns {
  readonly host?: Int32Array;
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

function overviewEvents(data: TraceData, names: TraceNames): EventLane | undefined {
  for (const table of ['cuda_call', 'gpu_work', 'off_cpu', 'on_cpu', 'range'] as const) {
    const columns = eventColumns(data.tables, table);
    const rows = columns && rowsByKey(columns, 'table', undefined).get(-1);
    if (columns === undefined || rows === undefined) continue;
    return remember(columns, 'overview', () =>
      buildLane(gatherEvents(columns, rows, (row) => names.nameColour(columns.op?.[row] ?? -1))),
    );
  }
  return undefined;
}

/** One lane for the minimap: all CUDA calls, or what the trace has instead. */
export function overviewLane(data: TraceData): EventLane | undefined {
  return overviewEvents(
    data,
    remember(data.summary, 'names', () => traceNames(data.summary)),
  );
}
