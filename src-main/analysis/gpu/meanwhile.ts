import {
  type GpuMeanwhile,
  type GpuMeanwhilePart,
  meanwhileKinds,
} from '../../shared/answers/gpu-work.ts';
import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { SpanList, type Spans, spansBoth, spansLength, spansWithout } from '../index/spans.ts';
import { submittedRowsOf, workName } from '../operations/gpu-record.ts';
import { wholeSpan } from './device-spans.ts';
import { deviceLabel, devicesOf } from './devices.ts';
import { CLOCK_NS, streamOf, workKinds } from './meanwhile-kinds.ts';
import { recordLimits } from './record-limits.ts';

type Kind = GpuMeanwhilePart['kind'];
type TimeWindow = readonly [fromNs: number, toNs: number];

const NAMED = 3;
const GRAPH = codeOf(gpuWorkKinds, 'graph');

/** Work of one kind, as far as it ran in a window. */
interface KindOfWork {
  readonly kind: Kind;
  readonly rows: readonly number[];
  readonly window: TimeWindow;
}

/**
 * What the GPUs of its process did while row `call` of cuda_call lasted, by their own records: parts that sum
 * to its duration. Undefined where no record is of its process. Binary searches, then what ran meanwhile.
 */
export function gpuMeanwhile(trace: Trace, call: number): GpuMeanwhile | undefined {
  const { process, used, window } = placeOf(trace, call);
  if (used.length === 0) return undefined;
  const waited = devicesFor(trace, call, used);
  const rows = rowsOn(trace, waited, window);
  const kindOf = workKinds(trace, call, process);
  const elsewhere = used.filter((device) => !waited.includes(device));
  const others = rowsOn(trace, elsewhere, window).filter((row) => kindOf(row) !== 'others');
  const place = { trace, window, process, waited };
  const told = tile(place, kindsOfWork(trace, rows, others, kindOf, window));
  const { kind } = trace.tables.gpu_work.columns;
  return {
    ...(trace.gpus.length > 1 && { gpus: waited.map((device) => deviceLabel(trace, device)) }),
    parts: meanwhileKinds.flatMap((each) => told.filter((part) => part.kind === each)),
    graphs: rows.filter((row) => kind?.[row] === GRAPH && kindOf(row) !== 'others').length,
  };
}

/** The rows of gpu_work that row `call` of cuda_call may have waited for and that ran while it lasted. */
export function workAhead(trace: Trace, call: number): number[] {
  const { process, used, window } = placeOf(trace, call);
  const kindOf = workKinds(trace, call, process);
  const rows = rowsOn(trace, devicesFor(trace, call, used), window);
  return rows.filter((row) => kindOf(row) === 'ahead');
}

function placeOf(trace: Trace, call: number) {
  const { startNs, durationNs, thread } = trace.tables.cuda_call.columns;
  const process = trace.threads[thread[call]]?.process ?? NONE;
  const used = devicesOf(trace).usedBy([process], trace.processes[process]?.host ?? 0);
  const window: TimeWindow = [startNs[call], startNs[call] + durationNs[call]];
  return { process, used, window };
}

/**
 * Where work of several kinds runs at once, the first counts. What ran while work of the call's stream was queued
 * and had not begun held the call, on whatever stream and GPU: that streams wait for each other is not recorded.
 */
function kindsOfWork(
  trace: Trace,
  rows: readonly number[],
  onOtherGpus: readonly number[],
  kindOf: (row: number) => Kind,
  [fromNs, toNs]: TimeWindow,
): KindOfWork[] {
  const byKind = Map.groupBy(rows, kindOf);
  const [own, ahead, beside, others] = (['own', 'ahead', 'beside', 'others'] as const).map(
    (kind) => byKind.get(kind) ?? [],
  );
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const lastNs = [...own, ...ahead].reduce((last, row) => Math.max(last, startNs[row]), fromNs);
  const queued: TimeWindow = [fromNs, Math.min(lastNs, toNs)];
  // What still ran on another GPU when the work began did not hold it.
  const ended = onOtherGpus.filter((row) => startNs[row] + durationNs[row] <= lastNs + CLOCK_NS);
  const held = [...beside, ...ended];
  return [
    { kind: 'own', rows: own, window: [fromNs, toNs] },
    { kind: 'ahead', rows: ahead, window: [fromNs, toNs] },
    { kind: 'held', rows: within(trace, held, queued), window: queued },
    { kind: 'beside', rows: within(trace, beside, [queued[1], toNs]), window: [queued[1], toNs] },
    { kind: 'others', rows: others, window: [fromNs, toNs] },
  ];
}

/** The GPU of what it submitted, else of its stream, else all that its process used. */
function devicesFor(trace: Trace, call: number, used: readonly number[]): readonly number[] {
  const [own] = submittedRowsOf(trace, call);
  if (own !== undefined) return [devicesOf(trace).deviceOf(own)];
  const gpu = trace.contexts[trace.streams[streamOf(trace, call)]?.context ?? NONE]?.gpu ?? NONE;
  return used.includes(gpu) ? [gpu] : used;
}

/** The rows of some GPUs that touch `window`, in order of start. */
function rowsOn(trace: Trace, devices: readonly number[], window: TimeWindow): number[] {
  return devices.flatMap((device) => rowsWithin(trace, device, ...window)).sort((a, b) => a - b);
}

function within(trace: Trace, rows: readonly number[], [fromNs, toNs]: TimeWindow): number[] {
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  return rows
    .filter((row) => startNs[row] < toNs && startNs[row] + durationNs[row] > fromNs)
    .sort((a, b) => a - b);
}

function rowsWithin(trace: Trace, device: number, fromNs: number, toNs: number): number[] {
  const { rows, startsNs, latestEndsNs } = devicesOf(trace).rowsOn(device);
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const found = rows.subarray(latestEndsNs.upperBound(fromNs), startsNs.lowerBound(toNs));
  return [...found].filter((row) => startNs[row] + durationNs[row] > fromNs);
}

interface Place {
  readonly trace: Trace;
  readonly window: TimeWindow;
  readonly process: number;
  /** The GPUs that the call may have waited for. */
  readonly waited: readonly number[];
}

function tile(place: Place, kinds: readonly KindOfWork[]): GpuMeanwhilePart[] {
  const { trace, window, process } = place;
  const parts: GpuMeanwhilePart[] = [];
  let left = wholeSpan(window);
  for (const { kind, rows, window: of } of kinds) {
    const spans = spansOf(trace, rows, of);
    const ns = spansLength(spansBoth(left, spans));
    left = spansWithout(left, spans);
    if (ns > 0) parts.push({ kind, ns, ...namesOf(place, rows, of) });
  }
  const { blind, unseen } = recordLimits(trace, process);
  const unknown = blind === undefined ? spansBoth(left, unseen) : left;
  const rest: readonly (readonly [Kind, Spans])[] = [
    ['nothing', spansWithout(left, unknown)],
    ['unknown', unknown],
  ];
  for (const [kind, spans] of rest) {
    const ns = spansLength(spans);
    if (ns > 0) parts.push({ kind, ns, count: 0, names: [] });
  }
  return parts;
}

function spansOf(trace: Trace, rows: readonly number[], window: TimeWindow): Spans {
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const list = new SpanList(window);
  for (const row of rows) list.add(startNs[row], startNs[row] + durationNs[row]);
  return list.spans();
}

function namesOf(
  { trace, waited }: Place,
  rows: readonly number[],
  [fromNs, toNs]: TimeWindow,
): Pick<GpuMeanwhilePart, 'count' | 'names'> {
  const { op, startNs, durationNs } = trace.tables.gpu_work.columns;
  const { deviceOf } = devicesOf(trace);
  const sums = new Map<string, { name: string; gpu?: string; count: number; ns: number }>();
  for (const row of rows) {
    const device = deviceOf(row);
    const where = waited.includes(device) ? {} : { gpu: deviceLabel(trace, device) };
    const key = `${op[row]} ${where.gpu ?? ''}`;
    const sum = sums.get(key) ?? { name: workName(trace, op[row]), ...where, count: 0, ns: 0 };
    sums.set(key, sum);
    sum.count++;
    sum.ns += Math.min(toNs, startNs[row] + durationNs[row]) - Math.max(fromNs, startNs[row]);
  }
  const names = [...sums.values()].sort((a, b) => b.ns - a.ns).slice(0, NAMED);
  return { count: rows.length, names };
}
