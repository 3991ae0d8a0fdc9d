import type { FirstLane, FirstTimeline } from '../../shared/answers/first-figures.ts';
import type { ThreadInfo, Trace } from '../../shared/model/trace.ts';
import { threadLabelText } from '../../shared/words/thread-label-text.ts';
import { coarseLanes, countByLane, type EventsOfLanes } from '../../timeline/build/coarse-lanes.ts';
import { lastEnd } from '../../trace/build/rows.ts';
import { orderByStart } from '../../trace/build/sort-rows.ts';

const MOST_LANES = 8;
const STRETCHES = 300;

/** A table whose events are drawn, a lane for each thread or stream. */
interface DrawnTable {
  readonly table: FirstLane['table'];
  readonly events: EventsOfLanes;
  readonly lanes: number;
  label(lane: number): string;
}

/** A lane that may be drawn, and how many events it has. */
interface Candidate {
  readonly drawn: DrawnTable;
  readonly lane: number;
  readonly count: number;
}

/** How busy the threads with CUDA calls and the streams with GPU work are; the rows of `trace` may be unsorted. */
export function firstTimeline(trace: Trace): FirstTimeline {
  const all = drawnTables(trace);
  const candidates = all.flatMap(candidatesOf);
  const shown = candidates.toSorted((a, b) => b.count - a.count).slice(0, MOST_LANES);
  const ends = all.map(({ events }) => lastEnd(events.startNs, events.durationNs));
  const lengthNs = Math.max(1, trace.meta.lengthNs, ...ends);
  const lanes = all.flatMap((each) => {
    const wanted = shown.filter(({ drawn }) => drawn === each).map(({ lane }) => lane);
    return wanted.length === 0 ? [] : drawnLanes(each, wanted, lengthNs);
  });
  return { lengthNs, lanes, lanesLeftOut: candidates.length - lanes.length };
}

function drawnTables({ tables, threads, processes, streams }: Trace): DrawnTable[] {
  const { cuda_call: calls, gpu_work: work } = tables;
  return [
    {
      table: 'cuda_call',
      events: { ...calls.columns, laneOf: calls.columns.thread },
      lanes: threads.length,
      label: (lane) => threadText(threads[lane], processes),
    },
    {
      table: 'gpu_work',
      events: { ...work.columns, laneOf: work.columns.stream ?? new Int32Array() },
      lanes: streams.length,
      label: (lane) => streams[lane]?.name ?? '',
    },
  ];
}

function threadText(thread: ThreadInfo | undefined, processes: Trace['processes']): string {
  const { tid = -1, process = -1, name = '' } = thread ?? {};
  const { pid = -1, name: processName = '' } = processes[process] ?? {};
  return threadLabelText({ name: name || processName, pid, tid });
}

function candidatesOf(drawn: DrawnTable): Candidate[] {
  const counts = countByLane(drawn.events, drawn.lanes);
  const all = Array.from(counts, (count, lane) => ({ drawn, lane, count }));
  return all.filter(({ count }) => count > 0);
}

function drawnLanes({ table, events, label }: DrawnTable, lanes: number[], lengthNs: number) {
  const ordered = { ...events, order: orderByStart(events.startNs) };
  return coarseLanes(ordered, lanes, lengthNs, STRETCHES).map(
    ({ lane, busyNs }): FirstLane => ({
      label: label(lane),
      table,
      busyPercent: percentOf(busyNs, lengthNs / STRETCHES),
    }),
  );
}

/** Whatever was busy shows. */
function percentOf(busyNs: Float64Array, stretchNs: number): number[] {
  return Array.from(busyNs, (ns) =>
    ns === 0 ? 0 : Math.min(100, Math.max(1, Math.round((100 * ns) / stretchNs))),
  );
}
