import { stateColour } from '../model/colours.ts';
import { eventColumns } from '../model/event-source.ts';
import { type EventLane, firstStartingAt, openAt } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import { isEventTrack, type Track } from '../model/track-model.ts';
import { colourOfTaskState } from './thread-segments.ts';

/** A thread that held the CPU another one waited for. */
interface RanInstead {
  /** Index into threads. */
  readonly thread: number;
  readonly ns: number;
  /** Row of on_cpu: its longest slice meanwhile. */
  readonly row: number;
}

/** The end of an off-CPU row in which its thread was ready to run. */
export interface RunnableStretch {
  readonly startNs: number;
  readonly endNs: number;
  /** Where it ran next. */
  readonly cpu: number;
  /** Most first; what they leave of the stretch is not recorded, or the CPU was idle. */
  readonly ran: readonly RanInstead[];
}

interface OffCpuColumns {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly thread?: Int32Array;
  readonly state?: Int32Array;
  readonly runQueueNs?: Float64Array;
  readonly cpuIn?: Int32Array;
  readonly cpuOut?: Int32Array;
}

/** How long the thread of `row` was ready to run, ns: all of it where it was preempted. */
function runnableNs(columns: OffCpuColumns, row: number): number {
  const durationNs = columns.durationNs[row];
  const queuedNs = columns.runQueueNs?.[row] ?? -1;
  if (queuedNs >= 0) return Math.min(queuedNs, durationNs);
  const isPreempted = colourOfTaskState(columns.state?.[row] ?? -1) === stateColour.runnable;
  return isPreempted ? durationNs : 0;
}

/** The threads that ran in [startNs, endNs) on the CPU of `lane`, most first. */
function ranOn(
  lane: EventLane,
  threadOf: (row: number) => number,
  startNs: number,
  endNs: number,
): RanInstead[] {
  const found = new Map<number, { ns: number; row: number; longestNs: number }>();
  const first = firstStartingAt(lane, startNs);
  const end = firstStartingAt(lane, endNs, first);
  const add = (index: number) => {
    const from = Math.max(startNs, lane.startNs[index]);
    const ns = Math.min(endNs, lane.startNs[index] + lane.durationNs[index]) - from;
    const row = lane.rows[index];
    const thread = threadOf(row);
    const entry = found.get(thread) ?? { ns: 0, row, longestNs: ns };
    found.set(thread, entry);
    entry.ns += ns;
    if (ns > entry.longestNs) Object.assign(entry, { row, longestNs: ns });
  };
  const open = openAt(lane, startNs, first);
  if (open >= 0) add(open);
  for (let index = first; index < end; index++) add(index);
  return [...found]
    .map(([thread, { ns, row }]) => ({ thread, ns, row }))
    .filter(({ ns }) => ns > 0)
    .toSorted((a, b) => b.ns - a.ns);
}

/** Who ran while the thread of row `row` of off_cpu waited for a CPU; nothing where that is not recorded. */
export function ranInstead(
  data: TraceData,
  tracks: readonly Track[],
  row: number,
): RunnableStretch | undefined {
  const columns = eventColumns(data.tables, 'off_cpu') as OffCpuColumns | undefined;
  if (columns?.durationNs === undefined) return undefined;
  const cpuIn = columns.cpuIn?.[row] ?? -1;
  const cpu = cpuIn >= 0 ? cpuIn : (columns.cpuOut?.[row] ?? -1);
  const waitedNs = runnableNs(columns, row);
  const track = tracks.find(({ id }) => id === `on_cpu:${cpu}`);
  if (cpu < 0 || !(waitedNs > 0) || track === undefined || !isEventTrack(track)) return undefined;
  const threads = eventColumns(data.tables, 'on_cpu')?.thread;
  const endNs = columns.startNs[row] + columns.durationNs[row];
  const startNs = endNs - waitedNs;
  const own = columns.thread?.[row] ?? -1;
  const ran = ranOn(track.summary(), (slice) => threads?.[slice] ?? -1, startNs, endNs);
  return { startNs, endNs, cpu, ran: ran.filter(({ thread }) => thread !== own) };
}
