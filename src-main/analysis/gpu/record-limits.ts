import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import { hostOfGpuWork, isGapOf } from '../../shared/model/hosts.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perNumber } from '../index/per-trace.ts';
import { emptySpans, type Spans, spansOfAny } from '../index/spans.ts';
import { wholeSpan } from './device-spans.ts';
import { devicesOf, isCopyWork } from './devices.ts';

/** What the GPU's records do not tell of the work of one process. */
export interface RecordLimits {
  /** Why they never tell that the GPU had nothing to do, one sentence; absent = they do, but within `unseen`. */
  readonly blind?: string;
  /** Where records may be missing. */
  readonly unseen: Spans;
  /** Where they are blind for one reason only, that any may be missing: what they show the GPU did, it did. */
  readonly isLeast?: true;
}

const EVERYWHERE = wholeSpan([-Infinity, Infinity]);

/** How far the records of what GPUs did for `process` are complete, kept with the trace. */
export const recordLimits = perNumber((trace, process): RecordLimits => {
  const blind = whyBlind(trace, process);
  if (blind === ANY_MISSING) return { blind, unseen: EVERYWHERE, isLeast: true };
  if (blind !== undefined) return { blind, unseen: emptySpans };
  const host = trace.processes[process]?.host ?? 0;
  return { unseen: spansOfAny([lostSpans(trace, host), unrecordedEnds(trace, process)]) };
});

const ANY_MISSING = 'The trace holds some of the GPU’s work, and does not say when it misses any.';

function whyBlind(trace: Trace, process: number): string | undefined {
  const { gpu_work: work, gap } = trace.tables;
  const own = ownWork(trace, process);
  if (!own.any) return 'What the GPU ran for this process is not recorded.';
  const { kind } = work.provenance;
  if (kind !== 'exact' && kind !== 'partial') return 'The GPU’s work is not recorded one by one.';
  const host = trace.processes[process]?.host ?? 0;
  if (lossesOf(trace, host).some((row) => !(gap.columns.durationNs[row] > 0)))
    return 'Records of the GPU’s work were lost, and the trace does not say when.';
  const isSilent = kind === 'partial' && gap.provenance.kind === 'absent';
  return missingKind(trace, process, own) ?? (isSilent ? ANY_MISSING : undefined);
}

/** The kinds of work that the process asked for, of which there is no record at all. */
function missingKind(trace: Trace, process: number, own: OwnWork): string | undefined {
  const { kernels, graphs } = submitted(trace, process);
  if (kernels && !own.computes)
    return 'Kernels are not recorded, only copies and fills: when the GPU had nothing to do is not known.';
  if (graphs && !own.graphs)
    return 'Graphs were launched, and what they ran is not recorded: when the GPU had nothing to do is not known.';
  return undefined;
}

/** Which work of a process is recorded: any, any that computes, any of a graph. */
interface OwnWork {
  readonly any: boolean;
  readonly computes: boolean;
  readonly graphs: boolean;
}

const GRAPH = codeOf(gpuWorkKinds, 'graph');
const FILL = codeOf(gpuWorkKinds, 'fill');

/** One pass; work whose process is not known counts for each of its host. */
function ownWork(trace: Trace, process: number): OwnWork {
  const { rows, columns } = trace.tables.gpu_work;
  const { processOf } = devicesOf(trace);
  const host = trace.processes[process]?.host ?? 0;
  const own = { any: false, computes: false, graphs: false };
  for (let row = 0; row < rows; row++) {
    const of = processOf(row);
    if (of !== process && (of !== NONE || (hostOfGpuWork(trace, row) ?? host) !== host)) continue;
    own.any = true;
    own.computes ||= !isCopyWork(trace, row) && columns.kind?.[row] !== FILL;
    own.graphs ||= (columns.graph?.[row] ?? 0) !== 0 || columns.kind?.[row] === GRAPH;
    if (own.computes && own.graphs) break;
  }
  return own;
}

interface Submitted {
  /** Rows of cuda_call that launched a kernel or a graph. */
  readonly rows: readonly number[];
  readonly kernels: boolean;
  readonly graphs: boolean;
}

/** What the process launched; a call that failed asked for nothing. */
function submitted(trace: Trace, process: number): Submitted {
  const { op, thread, returnCode, parent } = trace.tables.cuda_call.columns;
  const isKernel = trace.names.map((name) => KERNEL_LAUNCH.test(name));
  const isGraph = trace.names.map((name) => GRAPH_LAUNCH.test(name));
  const rows: number[] = [];
  for (let row = 0; row < op.length; row++) {
    if (!(isKernel[op[row]] || isGraph[op[row]]) || (parent?.[row] ?? NONE) >= 0) continue;
    const isOurs = trace.threads[thread[row]]?.process === process;
    if (isOurs && (returnCode?.[row] ?? 0) === 0) rows.push(row);
  }
  return {
    rows,
    kernels: rows.some((row) => isKernel[op[row]]),
    graphs: rows.some((row) => isGraph[op[row]]),
  };
}

/** A function of the host is no work of the GPU. */
const KERNEL_LAUNCH = /^(cuda|cu)Launch(?!HostFunc)/;
const GRAPH_LAUNCH = /^(cuda|cu)GraphLaunch|^graphLaunch/i;

function lossesOf(trace: Trace, host: number): number[] {
  const { columns, rows } = trace.tables.gap;
  return Array.from({ length: rows }, (_, row) => row).filter(
    (row) => isGapOf(trace, row, host) && mayHaveLost(trace, columns.op?.[row] ?? NONE, 'gpu_work'),
  );
}

function lostSpans(trace: Trace, host: number): Spans {
  const { startNs, durationNs } = trace.tables.gap.columns;
  const rows = lossesOf(trace, host).sort((a, b) => startNs[a] - startNs[b]);
  return {
    startsNs: Float64Array.from(rows, (row) => startNs[row]),
    endsNs: Float64Array.from(rows, (row) => startNs[row] + durationNs[row]),
  };
}

/**
 * Before the first launch and after the last one of which there is a record: there the calls are known by
 * other means, or their records are still under way while the recording goes on.
 */
function unrecordedEnds(trace: Trace, process: number): Spans {
  const { columns } = trace.tables.gpu_work;
  const { startNs } = trace.tables.cuda_call.columns;
  const launches = submitted(trace, process).rows;
  const recorded = new Set(columns.call);
  const first = launches.findIndex((row) => recorded.has(row));
  const last = launches.findLastIndex((row) => recorded.has(row));
  if (first < 0) return emptySpans;
  const startsNs: number[] = [];
  const endsNs: number[] = [];
  if (first > 0) {
    startsNs.push(-Infinity);
    endsNs.push(startNs[launches[first]]);
  }
  if (last < launches.length - 1) {
    startsNs.push(startNs[launches[last + 1]]);
    endsNs.push(Infinity);
  }
  return { startsNs: Float64Array.from(startsNs), endsNs: Float64Array.from(endsNs) };
}
