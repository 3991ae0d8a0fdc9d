import {
  type GpuMeanwhile,
  type GpuMeanwhilePart,
  meanwhileKinds,
} from '../../shared/answers/gpu-work.ts';
import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { SpanList, type Spans, spansLength, spansWithout } from '../index/spans.ts';
import { submittedRowsOf, workName } from '../operations/gpu-record.ts';
import { spansBoth, wholeSpan } from './device-spans.ts';
import { devicesOf } from './devices.ts';
import { recordLimits } from './record-limits.ts';

type Kind = GpuMeanwhilePart['kind'];

/** Work that counts where several run at once: what the call itself asked for, then what it waits behind. */
const PRECEDENCE = ['own', 'ahead', 'beside', 'others'] as const;
const NAMED = 3;
const GRAPH = codeOf(gpuWorkKinds, 'graph');

/**
 * What the GPUs of its process did while row `call` of cuda_call lasted, by their own records: parts that sum
 * to its duration. Undefined where no record is of its process. Binary searches, then what ran meanwhile.
 */
export function gpuMeanwhile(trace: Trace, call: number): GpuMeanwhile | undefined {
  const { startNs, durationNs, thread } = trace.tables.cuda_call.columns;
  const process = trace.threads[thread[call]]?.process ?? NONE;
  const host = trace.processes[process]?.host ?? 0;
  const devices = devicesFor(trace, call, process, host);
  if (devices.length === 0) return undefined;
  const [fromNs, toNs] = [startNs[call], startNs[call] + durationNs[call]];
  const rows = devices
    .flatMap((device) => rowsWithin(trace, device, fromNs, toNs))
    .sort((a, b) => a - b);
  const kindOf = kindReader(trace, call, process);
  const byKind = Map.groupBy(rows, kindOf);
  const parts = PRECEDENCE.map((kind) => ({ kind, rows: byKind.get(kind) ?? [] }));
  const told = tile(trace, parts, [fromNs, toNs], process);
  const { kind } = trace.tables.gpu_work.columns;
  return {
    parts: meanwhileKinds.flatMap((each) => told.filter((part) => part.kind === each)),
    graphs: rows.filter((row) => kind?.[row] === GRAPH && kindOf(row) !== 'others').length,
  };
}

/** The GPU of what it submitted, else of its stream, else all that its process used. */
function devicesFor(trace: Trace, call: number, process: number, host: number): readonly number[] {
  const devices = devicesOf(trace);
  const used = devices.usedBy([process], host);
  const [own] = submittedRowsOf(trace, call);
  if (own !== undefined) return [devices.deviceOf(own)];
  const stream = trace.tables.cuda_call.columns.stream?.[call] ?? NONE;
  const gpu = trace.contexts[trace.streams[stream]?.context ?? NONE]?.gpu ?? NONE;
  return used.includes(gpu) ? [gpu] : used;
}

function rowsWithin(trace: Trace, device: number, fromNs: number, toNs: number): number[] {
  const { rows, startsNs, latestEndsNs } = devicesOf(trace).rowsOn(device);
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const found = rows.subarray(upperBound(latestEndsNs, fromNs), lowerBound(startsNs, toNs));
  return [...found].filter((row) => startNs[row] + durationNs[row] > fromNs);
}

function kindReader(trace: Trace, call: number, process: number): (row: number) => Kind {
  const { processOf } = devicesOf(trace);
  const { startNs, stream } = trace.tables.gpu_work.columns;
  const ownStream = trace.tables.cuda_call.columns.stream?.[call] ?? NONE;
  const own = new Set(submittedRowsOf(trace, call));
  const ownNs = Math.min(...[...own].map((row) => startNs[row]));
  return (row) => {
    if (own.has(row)) return 'own';
    const of = processOf(row);
    if (of !== process && of !== NONE) return 'others';
    const onStream = ownStream === NONE || (stream?.[row] ?? NONE) === ownStream;
    return onStream && startNs[row] <= ownNs ? 'ahead' : 'beside';
  };
}

function tile(
  trace: Trace,
  kinds: readonly { readonly kind: Kind; readonly rows: readonly number[] }[],
  window: readonly [fromNs: number, toNs: number],
  process: number,
): GpuMeanwhilePart[] {
  const parts: GpuMeanwhilePart[] = [];
  let left = wholeSpan(window);
  for (const { kind, rows } of kinds) {
    const spans = spansOf(trace, rows, window);
    const ns = spansLength(spansBoth(left, spans));
    left = spansWithout(left, spans);
    if (ns > 0) parts.push({ kind, ns, ...namesOf(trace, rows, window) });
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

function spansOf(trace: Trace, rows: readonly number[], window: readonly [number, number]): Spans {
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const list = new SpanList(window);
  for (const row of rows) list.add(startNs[row], startNs[row] + durationNs[row]);
  return list.spans();
}

function namesOf(
  trace: Trace,
  rows: readonly number[],
  [fromNs, toNs]: readonly [number, number],
): Pick<GpuMeanwhilePart, 'count' | 'names'> {
  const { op, startNs, durationNs } = trace.tables.gpu_work.columns;
  const sums = new Map<number, { count: number; ns: number }>();
  for (const row of rows) {
    const sum = sums.get(op[row]) ?? { count: 0, ns: 0 };
    sums.set(op[row], sum);
    sum.count++;
    sum.ns += Math.min(toNs, startNs[row] + durationNs[row]) - Math.max(fromNs, startNs[row]);
  }
  const most = [...sums].sort(([, a], [, b]) => b.ns - a.ns).slice(0, NAMED);
  const named = most.map(([op, sum]) => ({ name: workName(trace, op), ...sum }));
  return { count: rows.length, names: named };
}
