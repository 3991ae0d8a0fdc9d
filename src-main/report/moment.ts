import { traceIndex } from '../analysis/index/trace-index.ts';
import { workName } from '../analysis/operations/gpu-record.ts';
import type { Moment, MomentBar, MomentBarKind, MomentLane } from '../shared/answers/report.ts';
import type { NumberArray } from '../shared/model/columns.ts';
import { cpuLabel } from '../shared/model/hosts.ts';
import type { Trace } from '../shared/model/trace.ts';
import { kernelBaseName } from '../shared/text/kernel-name.ts';
import { roleLabels } from '../shared/words/terms.ts';
import { stateEvents } from '../timeline/build/thread-tracks.ts';
import { stateColour, stateSwatchOf } from '../timeline/model/colours.ts';
import { eventColumns } from '../timeline/model/event-source.ts';
import type { TimeWindow } from '../timeline/model/time-window.ts';
import type { TraceData } from '../timeline/model/trace-data.ts';
import { Longest } from './longest.ts';

/** More bars than these nobody reads in an issue. */
export const MAX_BARS = 40;
const MAX_WORKERS = 8;
/** What is shown before and after a call, as a part of its duration. */
const MARGIN = 0.25;
/** What is shorter than this part of the whole would be no wider than a pixel. */
const LEAST_PART = 0.001;
/** Of more switches than these only the longest are looked at, and running in between is not drawn. */
const MANY_SWITCHES = 20_000;
/** A call of no length still has a moment. */
const LEAST_MARGIN_NS = 500;

export interface MomentFocus {
  /** Row of cuda_call. */
  readonly call?: number | undefined;
  readonly range?: TimeWindow | undefined;
}

/** All events of one lane within the moment, the longest kept. */
interface Candidates {
  readonly title: string;
  readonly bars: Longest<MomentBar>;
}

/**
 * What happened around a call, or in a range around it: the calling thread's calls and states, the
 * GPU's work, the DataLoader workers. Nothing where there is neither call nor range.
 */
export function momentOf(trace: Trace, data: TraceData, focus: MomentFocus): Moment | undefined {
  const window = windowOf(trace, focus);
  if (window === undefined) return undefined;
  const { columns } = trace.tables.cuda_call;
  const thread = focus.call === undefined ? undefined : columns.thread[focus.call];
  const workers = workerThreads(trace);
  const shown = workers.slice(0, MAX_WORKERS);
  const candidates = [
    callsOf(trace, window, thread),
    ...(thread === undefined || thread < 0 ? [] : [statesOf(trace, data, window, thread)]),
    ...(trace.tables.gpu_work.rows === 0 ? [] : [gpuWork(trace, window)]),
    ...shown.map((worker) => statesOf(trace, data, window, worker)),
  ];
  const call = focus.call === undefined ? undefined : callBar(trace, focus.call, 'call');
  const leastNs = (window.endNs - window.startNs) * LEAST_PART;
  return {
    ...window,
    lanes: shareOut(candidates, call, leastNs).filter(({ bars }) => bars.length > 0),
    empty: candidates.filter(({ bars }) => bars.seen === 0).map(({ title }) => title),
    workersLeftOut: workers.length - shown.length,
  };
}

/** The range where the call is in it or there is none, else the call with a margin. */
function windowOf(trace: Trace, { call, range }: MomentFocus): TimeWindow | undefined {
  if (call === undefined) return range;
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const endNs = startNs[call] + durationNs[call];
  if (range !== undefined && range.startNs <= startNs[call] && endNs <= range.endNs) return range;
  const marginNs = Math.max(LEAST_MARGIN_NS, Math.round(durationNs[call] * MARGIN));
  return { startNs: Math.max(0, startNs[call] - marginNs), endNs: endNs + marginNs };
}

/** The first thread of each worker process. */
function workerThreads(trace: Trace): number[] {
  const first = new Map<number, number>();
  trace.threads.forEach(({ process, tid }, thread) => {
    const info = trace.processes[process];
    if (info?.role !== 'dataloader-worker') return;
    if (!first.has(process) || tid === info.pid) first.set(process, thread);
  });
  return [...first.values()];
}

function callBar(trace: Trace, row: number, kind: MomentBarKind): MomentBar {
  const { op, startNs, durationNs } = trace.tables.cuda_call.columns;
  const name = trace.names[op[row]] ?? 'unknown';
  return { kind, name, startNs: startNs[row], durationNs: durationNs[row] };
}

function callsOf(trace: Trace, window: TimeWindow, thread: number | undefined): Candidates {
  const bars = new Longest<MomentBar>(MAX_BARS);
  const { columns } = trace.tables.cuda_call;
  for (const row of rowsWithin(columns, window)) {
    if (thread !== undefined && columns.thread[row] !== thread) continue;
    bars.offer(columns.durationNs[row], () => callBar(trace, row, 'other-call'));
  }
  const name = thread === undefined ? '' : ` of ${threadTitle(trace, thread)}`;
  return { title: `CUDA calls${name}`, bars };
}

function gpuWork(trace: Trace, window: TimeWindow): Candidates {
  const bars = new Longest<MomentBar>(MAX_BARS);
  const { columns } = trace.tables.gpu_work;
  for (const row of rowsWithin(columns, window)) {
    const durationNs = columns.durationNs[row];
    const name = kernelBaseName(workName(trace, columns.op[row]));
    const startNs = columns.startNs[row];
    bars.offer(durationNs, () => ({ kind: 'gpu', name, startNs, durationNs }));
  }
  return { title: 'GPU', bars };
}

/** The rows that touch the window. */
function* rowsWithin(
  columns: { readonly startNs: Float64Array; readonly durationNs: NumberArray },
  { startNs, endNs }: TimeWindow,
): Generator<number> {
  for (let row = 0; row < columns.startNs.length; row++) {
    const from = columns.startNs[row];
    if (from <= endNs && from + columns.durationNs[row] >= startNs) yield row;
  }
}

/** A thread's states; where its switches are not all kept, at least the slices in which it held a CPU. */
function statesOf(trace: Trace, data: TraceData, window: TimeWindow, thread: number): Candidates {
  const bars = new Longest<MomentBar>(MAX_BARS);
  let ran = false;
  const switched = switchBars(trace, data, window, thread);
  bars.passOver(switched.passedOver);
  for (const bar of switched.bars) {
    bars.offer(bar.durationNs, () => bar);
    ran ||= bar.kind === 'running';
  }
  const { columns } = trace.tables.on_cpu;
  if (!ran) {
    for (const row of rowsWithin(columns, window)) {
      if (columns.thread[row] !== thread) continue;
      const [startNs, durationNs] = [columns.startNs[row], columns.durationNs[row]];
      const name = `Running on ${cpuLabel(trace, columns.cpu[row])}`;
      bars.offer(durationNs, () => ({ kind: 'running', name, startNs, durationNs }));
    }
  }
  return { title: threadTitle(trace, thread), bars };
}

function switchBars(
  trace: Trace,
  data: TraceData,
  window: TimeWindow,
  thread: number,
): { readonly bars: readonly MomentBar[]; readonly passedOver: number } {
  const columns = eventColumns(data.tables, 'off_cpu');
  if (columns === undefined) return { bars: [], passedOver: 0 };
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  // One more at either end: the thread may have run between it and the first inside.
  const first = latestEndsNs.lowerBound(window.startNs);
  const after = startsNs.upperBound(window.endNs);
  const near = rows.slice(Math.max(0, first - 1), after + 1);
  const isMany = near.length > MANY_SWITCHES;
  const states = isMany
    ? stateEvents(withoutCoverage(data), columns, longestRows(trace, near), thread)
    : stateEvents(data, columns, near, thread);
  const bars: MomentBar[] = [];
  states.colours.forEach((colour, at) => {
    const startNs = states.times.startNs(at);
    const durationNs = states.times.durationNs(at);
    if (startNs > window.endNs || startNs + durationNs < window.startNs || durationNs === 0) return;
    const kind = colour === stateColour.running ? 'running' : 'off-cpu';
    bars.push({ kind, name: stateSwatchOf(colour)?.name ?? 'unknown', startNs, durationNs });
  });
  return { bars, passedOver: isMany ? near.length - MAX_BARS : 0 };
}

/** Rows of off_cpu whose states are among the longest, in order of start. */
function longestRows(trace: Trace, rows: Uint32Array): Uint32Array {
  const { durationNs } = trace.tables.off_cpu.columns;
  const longest = new Longest<{ readonly row: number; readonly durationNs: number }>(MAX_BARS);
  for (const row of rows)
    longest.offer(durationNs[row], () => ({ row, durationNs: durationNs[row] }));
  return Uint32Array.from(longest.values(), ({ row }) => row).sort();
}

/** Between rows that were picked out, nothing tells that the thread ran. */
function withoutCoverage(data: TraceData): TraceData {
  return { ...data, summary: { ...data.summary, coverage: [] } };
}

function threadTitle(trace: Trace, thread: number): string {
  const info = trace.threads[thread];
  if (info === undefined) return 'a thread that is not known';
  const isWorker = trace.processes[info.process]?.role === 'dataloader-worker';
  const name = isWorker ? roleLabels['dataloader-worker'] : info.name || 'thread';
  return `${name} (tid ${info.tid})`;
}

/** Deals the bars out in turn, the longest of each lane first, so that no lane takes all. */
function shareOut(
  candidates: readonly Candidates[],
  call: MomentBar | undefined,
  leastNs: number,
): readonly MomentLane[] {
  const queues = candidates.map(({ bars }, lane) => {
    const queue = bars.values().filter(({ durationNs }) => durationNs >= leastNs);
    return lane === 0 && call !== undefined ? withCallFirst(queue, call) : queue;
  });
  const taken: MomentBar[][] = candidates.map(() => []);
  let left = MAX_BARS;
  for (let turn = 0; left > 0 && queues.some((queue) => turn < queue.length); turn++) {
    for (const [lane, queue] of queues.entries()) {
      const bar = queue[turn];
      if (bar === undefined || left === 0) continue;
      taken[lane]?.push(bar);
      left -= 1;
    }
  }
  return candidates.map(({ title, bars }, lane) => {
    const drawn = taken[lane] ?? [];
    const inOrder = drawn.toSorted((a, b) => a.startNs - b.startNs || b.durationNs - a.durationNs);
    return { title, bars: inOrder, more: Math.max(0, bars.seen - drawn.length) };
  });
}

/** The call in the place of its own bar. */
function withCallFirst(queue: readonly MomentBar[], call: MomentBar): MomentBar[] {
  const own = queue.findIndex(
    (bar) =>
      bar.startNs === call.startNs && bar.durationNs === call.durationNs && bar.name === call.name,
  );
  return [call, ...queue.filter((_, at) => at !== own)];
}
