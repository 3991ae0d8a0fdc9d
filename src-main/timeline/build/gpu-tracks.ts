import { gatherEvents, kindsByRow, lanesOf, rowsByKey } from '../model/event-source.ts';
import { laneOnce } from '../model/kept-lanes.ts';
import { buildLane } from '../model/pyramid.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import type { EventTrack } from '../model/track-model.ts';
import { type BusyStretches, busyStretches } from './gpu-busy.ts';
import { lackingKernels, processNote, recordsKernels } from './gpu-kernels.ts';
import {
  type GpuWorkColumns,
  gpuWorkNames,
  isCopyRow,
  workColours,
  workColumns,
} from './gpu-work-names.ts';
import { busyTrackId, IDLE } from './idle-tracks.ts';
import { tableProvenance } from './provenance.ts';

/** A stream in a process on a GPU: what one track, or the two for kernels and for copies, are of. */
interface StreamWork {
  readonly gpu: number;
  /** Index into processes, -1 = not known. */
  readonly process: number;
  readonly stream: number;
  readonly isCopies: boolean;
  readonly rows: Uint32Array;
}

/** What is not known stands last. */
const place = (index: number) => (index < 0 ? Number.MAX_SAFE_INTEGER : index);

/** A trace has fewer processes and fewer streams than this; of both and its GPU a number is made. */
const MANY = 2 ** 20;

/** All work by stream, in the order of the screen. */
function streamWork(columns: GpuWorkColumns): readonly StreamWork[] {
  return remember(columns, 'by stream', () => {
    const found: Omit<StreamWork, 'rows'>[] = [];
    const places = new Map<number, number>();
    const isCopy = isCopyRow(columns);
    const keys = Int32Array.from(columns.startNs, (_, row) => {
      const gpu = columns.gpu?.[row] ?? -1;
      const process = columns.process?.[row] ?? -1;
      const stream = columns.stream?.[row] ?? -1;
      const isCopies = isCopy(row);
      const key = (((gpu + 1) * MANY + process + 1) * MANY + stream + 1) * 2 + Number(isCopies);
      const place = places.get(key) ?? found.push({ gpu, process, stream, isCopies }) - 1;
      places.set(key, place);
      return place;
    });
    const rows = rowsByKey(columns, 'stream work', keys);
    return found
      .map((work, place) => ({ ...work, rows: rows.get(place) as Uint32Array }))
      .sort(
        (a, b) =>
          place(a.process) - place(b.process) ||
          place(a.stream) - place(b.stream) ||
          Number(a.isCopies) - Number(b.isCopies),
      );
  });
}

function streamTrack(
  data: TraceData,
  names: TraceNames,
  columns: GpuWorkColumns,
  work: StreamWork,
  isShared: boolean,
): EventTrack {
  const { gpu, process, stream, isCopies, rows } = work;
  const workNames = gpuWorkNames(data, columns);
  const key = `gpu ${gpu} process ${process} stream ${stream} ${isCopies}`;
  const owner = isShared ? [processNote(data, process)] : [];
  const pid = data.summary.processes[process]?.pid;
  const byRow = kindsByRow(columns, rows, key, {
    kindOf: workNames.keyOf,
    nameOf: (kind) => workNames.ofKey(kind).short,
  });
  return {
    id: `gpu_work:${gpu}:${stream}${isShared ? `:${process}` : ''}${isCopies ? ':copies' : ''}`,
    kind: 'events',
    label: isCopies ? 'Copies and fills' : 'Kernels',
    detail: [names.streamLabel(stream), ...owner].filter(Boolean).join(' · '),
    table: 'gpu_work',
    expandable: true,
    ...byRow,
    // A search finds a kernel by its template arguments too.
    kindName: (kind) => Object.values(workNames.ofKey(kind)).join(' '),
    ...lanesOf(columns, key, () =>
      gatherEvents(columns, rows, (row) => workNames.ofKey(workNames.keyOf(row)).colour),
    ),
    ...tableProvenance(data, 'gpu_work'),
    ...(pid === undefined ? {} : { pid }),
    ...(process >= 0 && { process }),
  };
}

/** A track for the kernels of each stream of `gpu` and one for its copies, and the same for each process that uses it. */
export function streamTracks(data: TraceData, names: TraceNames, gpu: number): EventTrack[] {
  const columns = workColumns(data);
  if (columns === undefined) return [];
  const own = streamWork(columns).filter((work) => work.gpu === gpu);
  const isShared = new Set(own.map(({ process }) => process)).size > 1;
  return own.map((work) => streamTrack(data, names, columns, work, isShared));
}

const stretchNames = [
  [workColours.kernel, 'Computing'],
  [workColours.copy, 'Copying only'],
] as const;

const UNSEEN = 'Work of processes that were not recorded is not in it.';

/** When one GPU was busy with what is recorded: exact, at any scale. */
export function busyTracks(data: TraceData, gpu: number): EventTrack[] {
  const columns = workColumns(data);
  if (columns === undefined) return [];
  const rows = rowsByKey(columns, 'gpu', columns.gpu).get(gpu);
  if (rows === undefined || gpu < 0) return [];
  const { lengthNs } = data.summary;
  const computes = recordsKernels(data, gpu);
  const isWhole = lackingKernels(data, gpu).length === 0;
  const parts = laneOnce(columns, `gpu ${gpu} busy`, () =>
    lanesOfStretches(busyStretches(columns, rows, isCopyRow(columns), lengthNs)),
  );
  const nameOf = (colour: number) => stretchNames.find(([of]) => of === colour)?.[1] ?? IDLE;
  const known = tableProvenance(data, 'gpu_work');
  return [
    {
      ...{ id: busyTrackId(gpu), kind: 'density', table: 'gpu_work', expandable: false },
      label: computes ? 'GPU busy' : 'Copying',
      detail: computes ? 'from its own record' : 'kernels are not recorded',
      summary: () => parts().busy,
      lanes: () => [parts().computing, parts().copying],
      // Without the kernels of all its processes nobody knows when it was idle.
      ...(isWhole && { ground: () => parts().idle }),
      kindOf: (lane, index) => lane.colours[index],
      kindName: nameOf,
      nameOf: (lane, index) => nameOf(lane.colours[index]),
      kinds: () => parts().kinds,
      ...known,
      provenance: [known.provenance, UNSEEN].filter(Boolean).join(' '),
    },
  ];
}

function lanesOfStretches({ computing, copying, busy, idle }: BusyStretches) {
  const kinds = new Map<number, number>();
  for (const { colours, times } of [busy, idle])
    colours.forEach((colour, index) => {
      kinds.set(colour, Math.max(kinds.get(colour) ?? 0, times.durationNs(index)));
    });
  return {
    computing: buildLane(computing),
    copying: buildLane(copying),
    busy: buildLane(busy),
    idle: buildLane(idle),
    kinds,
  };
}
