import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatBytes, formatCount, formatDuration, plural } from '../../shared/text/units.ts';
import { happenedOperations } from '../index/happened-operations.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';

/** What happened of one CUDA operation, by the recorder's sums and the single calls beside them. */
interface SummedOp {
  readonly name: string;
  readonly source: string;
  count: number;
  /** Of these, single calls in the file. */
  rows: number;
  totalNs: number;
  /** Whether it may have taken longer. */
  isAtLeast: boolean;
  maxNs: number;
}

const NAMED = 3;
const DRIVER = 'DRIVER';

/**
 * What the recorder's sums say of the CUDA calls of `process` (of all, where it is undefined), for a file
 * that does not hold all of them. Undefined where the sums tell no more than the single calls.
 */
export function summedVerdict(trace: Trace, process: number | undefined): string | undefined {
  const ops = summedOps(trace, process);
  const sum = (of: (op: SummedOp) => number) => ops.reduce((all, op) => all + of(op), 0);
  const [count, rows, totalNs] = [
    sum((op) => op.count),
    sum((op) => op.rows),
    sum((op) => op.totalNs),
  ];
  if (count <= rows) return undefined;
  const driven = ops.some(({ source }) => source === DRIVER) ? '' : ' to the CUDA runtime';
  const calls = `${plural(count, 'call')}${driven}`;
  const isAtLeast = ops.some((op) => op.isAtLeast);
  const took = `${timeText(totalNs, isAtLeast)}, most of it in ${listed(ops)}.`;
  const host = process === undefined ? '' : hostSentences(trace, process);
  if (rows > 0) {
    const by = isAtLeast ? 'the recorder’s sums and what is stored' : 'the recorder’s sums';
    const stored = `This file holds ${formatCount(rows)} of its ${calls}; by ${by} all of them took ${took}`;
    return `${stored}${host} When the others ran is not known, so the file cannot tell what the GPU waited for.`;
  }
  const whose = process === undefined ? 'the CUDA calls' : 'its CUDA calls';
  const sums = `Only sums of ${whose} are in this file: ${calls} in ${took}`;
  return `${sums}${host} When each call ran is not known, so the file cannot tell what the GPU waited for.`;
}

/** `2.000 s`, or `at least 2.000 s`. */
export const timeText = (ns: number, isAtLeast: boolean) =>
  `${isAtLeast ? 'at least ' : ''}${formatDuration(ns)}`;

function listed(ops: readonly SummedOp[]): string {
  const words = ops.slice(0, NAMED).map(({ name, count, totalNs, isAtLeast, maxNs }) => {
    const longest = maxNs > 0 && count > 1 ? `, the longest ${formatDuration(maxNs)}` : '';
    return `${name} (${plural(count, 'call')}, ${timeText(totalNs, isAtLeast)}${longest})`;
  });
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

/** Those that took most first; without the driver's where the runtime's, which make them, are summed. */
export function summedOps(trace: Trace, process: number | undefined): SummedOp[] {
  const ops = new Map<number, SummedOp>();
  for (const each of happenedOperations(trace)) {
    const isOwn = process === undefined || each.process === process;
    if (!isOwn || cudaOpKind(trace.names[each.op] ?? '') === 'other') continue;
    const sum = opOf(trace, ops, each.op);
    sum.count += each.count;
    sum.rows += each.rows;
    sum.totalNs += Math.max(0, each.totalNs);
    sum.isAtLeast ||= each.isAtLeast || each.totalNs < 0;
    sum.maxNs = Math.max(sum.maxNs, each.maxNs);
  }
  if (ops.size > 0) addUnsummed(trace, ops, process);
  const all = [...ops.values()].sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
  const runtime = all.filter(({ source }) => source !== DRIVER);
  return runtime.length > 0 ? runtime : all;
}

function opOf(trace: Trace, ops: Map<number, SummedOp>, op: number): SummedOp {
  const known = ops.get(op);
  if (known !== undefined) return known;
  const [name, source] = [trace.names[op] ?? '', trace.nameSources[op] ?? ''];
  const made = { name, source, count: 0, rows: 0, totalNs: 0, isAtLeast: false, maxNs: 0 };
  ops.set(op, made);
  return made;
}

/** Adds the single calls of operations of which there is no sum. */
function addUnsummed(trace: Trace, ops: Map<number, SummedOp>, process: number | undefined): void {
  const summed = new Set(happenedOperations(trace).map(({ op }) => op));
  const { op, thread, durationNs } = trace.tables.cuda_call.columns;
  for (let row = 0; row < op.length; row++) {
    if (summed.has(op[row]) || cudaOpKind(trace.names[op[row]] ?? '') === 'other') continue;
    if (process !== undefined && trace.threads[thread[row]]?.process !== process) continue;
    const sum = opOf(trace, ops, op[row]);
    const ownNs = Math.max(0, durationNs[row]);
    sum.count++;
    sum.rows++;
    sum.totalNs += ownNs;
    sum.maxNs = Math.max(sum.maxNs, ownNs);
  }
}

/** What its process and those it started did meanwhile, as far as that was counted. */
function hostSentences(trace: Trace, process: number): string {
  const rank = jobIndex(trace).rankOf(process);
  const own = new Set(rank?.processes ?? [process]);
  const workers = workersOf(trace, own);
  const strays = straysOf(trace, process);
  const job = didText(trace, own);
  const by = (count: number) => plural(count, 'DataLoader worker');
  const ofWorkers = didText(trace, workers);
  const ofStrays = didText(trace, strays);
  const they = strays.size === 1 ? 'it' : 'them';
  return [
    job !== '' && ` The threads of its job ${job}.`,
    ofWorkers !== '' && ` Of these its ${by(workers.size)} ${ofWorkers}.`,
    ofStrays !== '' &&
      ` Beside these, ${by(strays.size)} ${ofStrays}; who started ${they} is not in the file.`,
  ]
    .filter((sentence) => sentence !== false)
    .join('');
}

function workersOf(trace: Trace, processes: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(
    [...processes].filter((process) => trace.processes[process]?.role === 'dataloader-worker'),
  );
}

/** DataLoader workers of the same host, of which nobody knows who started them. */
function straysOf(trace: Trace, process: number): ReadonlySet<number> {
  const index = jobIndex(trace);
  const { host = 0 } = trace.processes[process] ?? {};
  const all = trace.processes.flatMap((info, at) =>
    (info.host ?? 0) === host && index.tree.parents[at] < 0 && index.rankOf(at) === undefined
      ? [at]
      : [],
  );
  return workersOf(trace, new Set(all));
}

/** `left the CPU 2,000 times for 3.000 s in all, and asked 5 times for memory, 20.00 KiB`. */
function didText(trace: Trace, processes: ReadonlySet<number>): string {
  const activity = traceIndex(trace).activity();
  const sum = (values: Float64Array) =>
    values.reduce(
      (all, value, at) => all + (processes.has(trace.threads[at]?.process ?? -1) ? value : 0),
      0,
    );
  const said: string[] = [];
  const switches = sum(activity.switches);
  if (switches > 0)
    said.push(
      `left the CPU ${plural(switches, 'time')} for ${formatDuration(sum(activity.offCpuNs))} in all`,
    );
  const pages = sum(activity.pageAllocations);
  if (pages > 0)
    said.push(
      `asked ${plural(pages, 'time')} for memory, ${formatBytes(sum(activity.pageAllocationBytes))}`,
    );
  return said.join(', and ');
}
