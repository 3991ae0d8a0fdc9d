import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatBytes, formatDuration, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';

/** What a recorder counted of one CUDA operation. */
interface SummedOp {
  readonly name: string;
  readonly source: string;
  count: number;
  totalNs: number;
  maxNs: number;
}

const NAMED = 3;
const DRIVER = 'DRIVER';

/**
 * What the recorder's sums say of the CUDA calls of `process` (of all, where it is undefined), for a file
 * that holds none of the calls. Undefined where there are no sums either.
 */
export function summedVerdict(trace: Trace, process: number | undefined): string | undefined {
  const ops = summedOps(trace, process);
  if (ops.length === 0) return undefined;
  const count = ops.reduce((sum, op) => sum + op.count, 0);
  const totalNs = ops.reduce((sum, op) => sum + op.totalNs, 0);
  const driven = ops.some(({ source }) => source === DRIVER) ? '' : ' to the CUDA runtime';
  const whose = process === undefined ? 'the CUDA calls' : 'its CUDA calls';
  const all = `Only sums of ${whose} are in this file: ${plural(count, 'call')}${driven} in ${formatDuration(totalNs)}, most of it in ${listed(ops)}.`;
  const host = process === undefined ? '' : hostSentence(trace, process);
  return `${all}${host} When each call ran is not known, so the file cannot tell what the GPU waited for.`;
}

function listed(ops: readonly SummedOp[]): string {
  const words = ops.slice(0, NAMED).map(({ name, count, totalNs, maxNs }) => {
    const longest = maxNs > 0 && count > 1 ? `, the longest ${formatDuration(maxNs)}` : '';
    return `${name} (${plural(count, 'call')}, ${formatDuration(totalNs)}${longest})`;
  });
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

/** Those that took most first; without the driver's where the runtime's, which make them, are summed. */
function summedOps(trace: Trace, process: number | undefined): SummedOp[] {
  const { thread, op, count, totalNs, maxNs } = trace.tables.aggregate.columns;
  const ops = new Map<number, SummedOp>();
  for (let row = 0; row < op.length; row++) {
    const name = trace.names[op[row]] ?? '';
    const isOwn = process === undefined || trace.threads[thread[row]]?.process === process;
    if (!isOwn || cudaOpKind(name) === 'other') continue;
    const source = trace.nameSources[op[row]] ?? '';
    const sum = ops.get(op[row]) ?? { name, source, count: 0, totalNs: 0, maxNs: 0 };
    ops.set(op[row], sum);
    sum.count += Math.max(0, count[row]);
    sum.totalNs += Math.max(0, totalNs?.[row] ?? 0);
    sum.maxNs = Math.max(sum.maxNs, maxNs?.[row] ?? 0);
  }
  const all = [...ops.values()].sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
  const runtime = all.filter(({ source }) => source !== DRIVER);
  return runtime.length > 0 ? runtime : all;
}

/** What its process and those it started did meanwhile, as far as that was counted. */
function hostSentence(trace: Trace, process: number): string {
  const activity = traceIndex(trace).activity();
  const rank = jobIndex(trace).rankOf(process);
  const processes = new Set(rank?.processes ?? [process]);
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
  return said.length === 0 ? '' : ` The threads of its job ${said.join(', and ')}.`;
}
