import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { TrackPart } from '../../shared/answers/told-tracks.ts';
import type { IntegerArray } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { threadLife } from '../../shared/model/thread-life.ts';
import {
  NEUTRAL_COLOUR,
  nameColour,
  sameColours,
  stateColour,
  stateSwatchOf,
} from '../model/colours.ts';
import {
  addKind,
  type EventColumns,
  eventColumns,
  gatherEvents,
  joinRows,
  kindsByRow,
  type LaneSource,
  lanesOf,
  lazily,
  rowsByKey,
} from '../model/event-source.ts';
import { RowTimes } from '../model/event-times.ts';
import { laneOnce } from '../model/kept-lanes.ts';
import { joinEvents, partitionEvents, splitLanes } from '../model/lanes.ts';
import { buildLane, type LaneEvents, summarizeStretch } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import { type EventKinds, type EventTrack, NO_ROW, noRows } from '../model/track-model.ts';
import { tableProvenance } from './provenance.ts';
import { runTimes, waitRows, waitTimes } from './state-times.ts';
import {
  type OffCpuColumns,
  type ThreadStates,
  threadSegments,
  threadStates,
  waitingKinds,
} from './thread-segments.ts';

interface ThreadTable {
  readonly table: TableName;
  readonly label: string;
  readonly kind: EventTrack['kind'];
  readonly expandable: boolean;
}

/** Tables with a track per thread, in the order in which a thread shows them. */
const THREAD_TABLES: readonly ThreadTable[] = [
  { table: 'cuda_call', label: 'CUDA calls', kind: 'events', expandable: true },
  { table: 'off_cpu', label: 'State', kind: 'states', expandable: false },
  { table: 'range', label: 'Annotations', kind: 'events', expandable: true },
  { table: 'page_fault', label: 'Page faults', kind: 'events', expandable: false },
  { table: 'page_alloc', label: 'Page allocations', kind: 'marks', expandable: false },
  { table: 'block_io', label: 'Block I/O', kind: 'events', expandable: true },
  { table: 'syscall', label: 'System calls', kind: 'events', expandable: true },
  { table: 'cpu_sample', label: 'CPU samples', kind: 'marks', expandable: false },
];

export const threadTables: readonly TableName[] = THREAD_TABLES.map(({ table }) => table);

interface CudaColumns extends EventColumns {
  readonly parent?: IntegerArray;
}

/** Outermost calls first, then the driver calls inside them by depth. */
function cudaLanes(columns: CudaColumns, key: string, events: () => LaneEvents): LaneSource {
  const { parent } = columns;
  if (parent === undefined) {
    const split = lanesOf(columns, key, events);
    return { ...split, summary: () => split.lanes()[0] ?? split.summary() };
  }
  const isOuter = (row: number | undefined) => (parent[row ?? -1] ?? -1) < 0;
  const parts = () => {
    const all = events();
    return partitionEvents(all, (index) => isOuter(all.rows[index]));
  };
  const outer = laneOnce(columns, `${key} outer`, () => buildLane(parts()[0]));
  const inner = laneOnce(columns, `${key} inner`, () => {
    const [, events] = parts();
    return events.times.length === 0 ? [] : splitLanes(events);
  });
  return { summary: outer, lanes: () => [outer(), ...inner()] };
}

/** What the states of `thread` are worked out from. */
function stateSource(
  data: TraceData,
  columns: EventColumns,
  rows: Uint32Array,
  thread: number,
): Parameters<typeof threadSegments> {
  const io = eventColumns(data.tables, 'block_io');
  const ioRows = io === undefined ? undefined : rowsByKey(io, 'thread', io.thread).get(thread);
  const requests =
    io === undefined || ioRows === undefined
      ? undefined
      : buildLane(gatherEvents(io, ioRows, () => NEUTRAL_COLOUR));
  const options = {
    complete: data.summary.coverage[thread] ?? [],
    life: lifeOf(data, columns, rows, thread),
    ...(requests === undefined
      ? {}
      : {
          hadBlockIo: (from: number, to: number) => summarizeStretch(requests, from, to).busyNs > 0,
        }),
  };
  return [switchesOf(columns), rows, options];
}

/** Columns of off_cpu, of which durations may be absent as all others: then each is 0. */
function switchesOf(columns: EventColumns): OffCpuColumns {
  const durationNs = columns.durationNs ?? new Float64Array(columns.startNs.length);
  return { ...(columns as OffCpuColumns), durationNs };
}

/** From when to when a thread with these `rows` of off_cpu lived; infinite where that is not recorded. */
export function lifeOf(
  { summary }: TraceData,
  columns: EventColumns,
  [first]: Uint32Array,
  thread: number,
): TimeSpan {
  const state = (columns as OffCpuColumns).state?.[first ?? -1] ?? -1;
  const wait = first === undefined ? undefined : { startNs: columns.startNs[first], state };
  return threadLife(summary.threads[thread], wait);
}

/** The states of `thread` from its `rows` of off_cpu, in order of start. */
export function stateEvents(
  data: TraceData,
  columns: EventColumns,
  rows: Uint32Array,
  thread: number,
): LaneEvents {
  return threadSegments(...stateSource(data, columns, rows, thread));
}

/** Waiting on one line, running as the ground below it. */
function stateLanes(
  { columns, rows, key }: ShownRows,
  states: () => ThreadStates,
): LaneSource & Required<Pick<EventTrack, 'ground'>> {
  const parts = laneOnce(columns, `${key} parts`, () => {
    const { running, waiting } = states();
    const isWorkedOut = running.rows.every((row) => row === NO_ROW);
    const { length } = running.rows;
    const switches = switchesOf(columns);
    const keptRows = waitRows(rows, waiting.rows);
    return {
      // Built from times as they were worked out, which are quicker to read than those that are kept.
      running: {
        ...buildLane({
          times: running.times,
          rows: isWorkedOut ? noRows(length) : running.rows,
          colours: sameColours(stateColour.running, length),
        }),
        times: runTimes(switches, rows, running.times),
      },
      waiting: {
        ...buildLane(waiting),
        rows: keptRows,
        times: waitTimes(switches, waiting, keptRows),
      },
    };
  });
  return {
    summary: () => parts().waiting,
    lanes: () => [parts().waiting],
    ground: () => parts().running,
  };
}

/** The rows of a table that a track shows. */
interface ShownRows {
  readonly columns: EventColumns;
  /** Of all its threads, in order of start. */
  readonly rows: Uint32Array;
  readonly byThread: ReadonlyMap<number, Uint32Array>;
  /** By which its lanes are kept. */
  readonly key: string;
}

function shownRows(
  { tables }: TraceData,
  table: TableName,
  threads: readonly number[],
): ShownRows | undefined {
  const columns = eventColumns(tables, table);
  if (columns === undefined) return undefined;
  const all = rowsByKey(columns, 'thread', columns.thread);
  const found = threads.filter((thread) => all.has(thread));
  if (found.length === 0) return undefined;
  const byThread = new Map(found.map((thread) => [thread, all.get(thread) as Uint32Array]));
  const rows = joinRows(columns, [...byThread.values()]);
  return { columns, rows, byThread, key: `thread ${threads.join()}` };
}

function sourceOf(
  data: TraceData,
  names: TraceNames,
  { table }: ThreadTable,
  shown: ShownRows,
): LaneSource {
  const { columns, rows, byThread, key } = shown;
  if (table === 'off_cpu')
    return stateLanes(shown, () => {
      const all = [...byThread].map(([thread, own]) =>
        threadStates(...stateSource(data, columns, own, thread)),
      );
      return {
        running: joinEvents(all.map(({ running }) => running)),
        waiting: joinEvents(all.map(({ waiting }) => waiting)),
      };
    });
  const { op } = columns;
  const events = () =>
    op === undefined
      ? {
          times: new RowTimes(columns, rows),
          rows,
          colours: sameColours(nameColour(table), rows.length),
        }
      : gatherEvents(columns, rows, (row) => names.nameColour(op[row]));
  return table === 'cuda_call' ? cudaLanes(columns, key, events) : lanesOf(columns, key, events);
}

type Kinds = Pick<EventTrack, 'nameOf' | 'kinds' | 'kindOf' | 'kindName'>;

/** States are told by their colours. */
function stateKinds(data: TraceData, { columns, byThread, key }: ShownRows, label: string): Kinds {
  const kindName = (colour: number) => stateSwatchOf(colour)?.name ?? label;
  return {
    kindName,
    kindOf: (lane, index) => lane.colours[index],
    nameOf: (lane, index) => kindName(lane.colours[index]),
    kinds: lazily(columns, `${key} kinds`, () =>
      joinKinds(
        [...byThread].map(([thread, own]) =>
          waitingKinds(...stateSource(data, columns, own, thread)),
        ),
      ),
    ),
  };
}

function joinKinds(all: readonly EventKinds[]): EventKinds {
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const kinds = new Map<number, number>();
  for (const own of all) for (const [kind, longestNs] of own) addKind(kinds, kind, longestNs);
  return kinds;
}

function kindsOfTrack(
  data: TraceData,
  names: TraceNames,
  { table, label }: ThreadTable,
  shown: ShownRows,
): Kinds {
  if (table === 'off_cpu') return stateKinds(data, shown, label);
  const { columns, rows, key } = shown;
  const { op } = columns;
  if (op !== undefined)
    return kindsByRow(columns, rows, key, {
      kindOf: (row) => op[row] ?? -1,
      nameOf: (kind) => names.name(kind),
    });
  const major = (columns as { major?: Uint8Array } | undefined)?.major;
  const singular = label.replace(/s$/, '').toLowerCase();
  return kindsByRow(columns, rows, key, {
    kindOf: (row) => (major?.[row] === 1 ? 1 : 0),
    nameOf: (kind) => (kind === 1 ? `major ${singular}` : singular),
  });
}

/**
 * The tracks of a thread, or of several that lived one after the other; `detail` tells them from their siblings, `parts` which
 * thread they are of, and when.
 */
export function threadTracks(
  data: TraceData,
  names: TraceNames,
  threads: readonly [number, ...number[]],
  { detail, parts }: { readonly detail: string; readonly parts?: readonly TrackPart[] },
): EventTrack[] {
  const [thread] = threads;
  const pid = names.pidOf(thread);
  const process = data.summary.threads[thread]?.process ?? -1;
  return THREAD_TABLES.flatMap((spec): EventTrack[] => {
    const shown = shownRows(data, spec.table, threads);
    if (shown === undefined) return [];
    return [
      {
        id: `${spec.table}:${thread}`,
        kind: spec.kind,
        label: spec.label,
        detail,
        table: spec.table,
        thread,
        expandable: spec.expandable,
        ...kindsOfTrack(data, names, spec, shown),
        ...sourceOf(data, names, spec, shown),
        ...tableProvenance(data, spec.table),
        ...(pid === undefined ? {} : { pid }),
        ...(process >= 0 && { process }),
        ...(parts !== undefined && { parts }),
      },
    ];
  });
}
