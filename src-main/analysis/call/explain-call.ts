import type { CallExplanation, Contention } from '../../shared/answers/explanation.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import { cudaLayers } from '../../shared/model/codes.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { framesOf } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { atOnce, type Pieces } from '../../shared/numbers/pieces.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { waitChainInPieces } from '../chain/wait-chain.ts';
import { switchCoverage } from '../coverage/coverage.ts';
import { wholeFile } from '../coverage/whole-file.ts';
import { gpuMeanwhile } from '../gpu/meanwhile.ts';
import { rankAmong } from '../index/comparable-calls.ts';
import { traceIndex } from '../index/trace-index.ts';
import { rankOfThread } from '../jobs/job-index.ts';
import {
  type CopyCall,
  copyCall,
  effectiveRateOf,
  hostMemoryOf,
  rateOf,
} from '../operations/copy-facts.ts';
import { submittedWork } from '../operations/gpu-record.ts';
import { streamEmptyNear } from '../outstanding/stream-empty.ts';
import { namedFrame } from '../stacks/frame-names.ts';
import { accountTime } from '../threads/account-time.ts';
import { callMemory } from '../threads/call-memory.ts';
import { callSum, hasCallSums } from '../threads/call-sums.ts';
import { contentionOf } from '../threads/contention.ts';
import { headlineOf, offCpuPartsNs } from './call-headline.ts';
import { cannotTell } from './cannot-tell.ts';
import { explanationAhead } from './explanation-ahead.ts';
import { overlappingSpans, stretchesText } from './off-cpu-spans.ts';
import { partNs } from './waiting-words.ts';

/**
 * What the trace proves about row `row` of cuda_call, and what it cannot tell. The findings of the
 * whole trace that bear on it are added by who knows them. Throws RangeError where there is no such
 * row. `trace` must have its roles (withRoles).
 */
export function explainCall(trace: Trace, row: number): CallExplanation {
  return atOnce(explainCallInPieces(trace, row));
}

/** As explainCall, in pieces: a call may have lasted for seconds. */
export function* explainCallInPieces(trace: Trace, row: number): Pieces<CallExplanation> {
  const { columns, rows } = trace.tables.cuda_call;
  if (!Number.isInteger(row) || row < 0 || row >= rows)
    throw new RangeError(`this trace has no CUDA call number ${row}`);
  yield* explanationAhead(trace, row);
  const startNs = columns.startNs[row];
  const endNs = startNs + columns.durationNs[row];
  const thread = columns.thread[row];
  const rank = rankOfThread(trace, thread);
  const streamEmpty = yield* streamEmptyNear(trace, row);
  const { offCpu, accounting, switchesRecorded } = timeOf(trace, row, rank, streamEmpty);
  yield;
  const contention = withMeasured(contentionOf(trace, rank, thread, startNs, endNs), accounting);
  yield;
  const memory = callMemory(trace, row);
  yield;
  const chain = yield* waitChainInPieces(trace, rank, thread, startNs, endNs);
  const copy = copyCall(trace, row, offCpuPartsNs(accounting));
  const explained = {
    call: describeCall(trace, row, copy),
    accounting,
    ...ofCopy(trace, row, copy),
    rank: {
      ...rankAmong(traceIndex(trace).comparableTo(row), columns.durationNs[row]),
      partial: trace.tables.cuda_call.provenance.kind === 'partial',
    },
    offCpu,
    wholeFile: wholeFile(trace, startNs, endNs),
    contention,
    ...ofGpu(trace, row),
    memory,
    waitChain: chain,
    fixes: [],
  };
  yield;
  const open = { call: row, thread, startNs, endNs, copy, explained };
  return {
    ...explained,
    headline: headlineFor(trace, explained, switchesRecorded),
    cannotTell: cannotTell(trace, open),
  };
}

function ofCopy(
  trace: Trace,
  row: number,
  copy: CopyCall,
): Pick<CallExplanation, 'rate' | 'effectiveRate' | 'hostMemory'> {
  const hostMemory = hostMemoryOf(trace, row, copy);
  const rate = rateOf(trace, row, copy, hostMemory);
  const effectiveRate = effectiveRateOf(trace, row, copy);
  return {
    ...(rate !== undefined && { rate }),
    ...(effectiveRate !== undefined && { effectiveRate }),
    hostMemory,
  };
}

function ofGpu(trace: Trace, row: number): Pick<CallExplanation, 'gpuWork' | 'gpuMeanwhile'> {
  const gpuWork = submittedWork(trace, row);
  const meanwhile = gpuMeanwhile(trace, row);
  return {
    ...(gpuWork !== undefined && { gpuWork }),
    ...(meanwhile !== undefined && { gpuMeanwhile: meanwhile }),
  };
}

function headlineFor(
  trace: Trace,
  explained: Omit<CallExplanation, 'headline' | 'cannotTell'>,
  switchesRecorded: boolean,
): string {
  const { call, offCpu } = explained;
  const { op } = trace.tables.cuda_call.columns;
  const parentName = call.parent === undefined ? undefined : trace.names[op[call.parent]];
  const stretches = offCpu.measuredNs === undefined ? stretchesText(offCpu.spans) : undefined;
  return headlineOf(
    { ...explained, switchesRecorded, ...(stretches !== undefined && { stretches }) },
    cudaOpKind(call.name),
    parentName,
  );
}

function timeOf(
  trace: Trace,
  row: number,
  rank: Rank | undefined,
  streamEmpty: boolean | undefined,
): Pick<CallExplanation, 'offCpu' | 'accounting'> & { switchesRecorded: boolean } {
  const { columns } = trace.tables.cuda_call;
  const thread = columns.thread[row];
  const startNs = columns.startNs[row];
  const endNs = startNs + columns.durationNs[row];
  const { complete, note, recorded } = switchCoverage(trace, thread, startNs, endNs);
  const switches = traceIndex(trace).switchesOf(thread);
  const spans = overlappingSpans(trace.tables.off_cpu.columns, switches, startNs, endNs);
  const accounting = accountTime(trace, rank, thread, startNs, endNs, {
    call: { row, ...(streamEmpty !== undefined && { streamEmpty }) },
    missing: note,
  });
  const offCpu = complete
    ? { complete, note, spans }
    : measuredOffCpu(trace, row, note, spans, offCpuPartsNs(accounting));
  return { offCpu, accounting, switchesRecorded: recorded };
}

/** Without all switches: the sum that was measured around the call, where there is one. */
function measuredOffCpu(
  trace: Trace,
  row: number,
  note: string,
  spans: CallExplanation['offCpu']['spans'],
  offCpuNs: number,
): CallExplanation['offCpu'] {
  const sum = callSum(trace, row, 'offCpuNs');
  if (sum === undefined) return { complete: false, note: unmeasured(trace) + note, spans };
  const of = sum.note === '' ? '' : ` (${sum.note})`;
  if (offCpuNs === 0 && sum.basis === 'exact')
    return { complete: true, note: `The thread did not leave the CPU: measured${of}.`, spans };
  const how = `Only sums are known of the call${of}: not when inside it the thread was off the CPU.`;
  return { complete: false, note: `${how} ${note}`, spans, measuredNs: sum.value };
}

/** Of a call that was not measured, in a trace where others were: which are. */
function unmeasured(trace: Trace): string {
  const { note } = trace.tables.cuda_call.columnProvenance.offCpuNs ?? { note: '' };
  return hasCallSums(trace, 'offCpuNs') && note !== ''
    ? `Nothing was measured around this call (${note}). `
    : '';
}

/** Waiting that was measured around the call as a whole: nobody is known to have had the CPU then. */
function withMeasured(
  contention: Contention,
  accounting: CallExplanation['accounting'],
): Contention {
  const hiddenNs = partNs(accounting, 'runnable') - contention.runnableNs;
  if (hiddenNs <= 0) return contention;
  const note = `${formatDuration(hiddenNs)} of waiting for a CPU were measured around the call as a whole: who ran meanwhile is not known.`;
  return {
    ...contention,
    runnableNs: contention.runnableNs + hiddenNs,
    unknownNs: contention.unknownNs + hiddenNs,
    note: contention.note === '' ? note : `${note} ${contention.note}`,
  };
}

/** In the column: the code is not known, or the call had not returned. */
const NOT_RETURNED = -1;

function describeCall(trace: Trace, row: number, copy: CopyCall): CallExplanation['call'] {
  const { columns } = trace.tables.cuda_call;
  const thread = trace.threads[columns.thread[row]];
  const process = trace.processes[thread?.process ?? NONE];
  const host = process === undefined ? undefined : hostNote(trace, process);
  const parent = columns.parent?.[row] ?? -1;
  const returnCode = columns.returnCode?.[row] ?? NOT_RETURNED;
  return {
    row,
    name: copy.name,
    source: trace.nameSources[columns.op[row]] ?? '',
    layer: cudaLayers[columns.layer[row]] ?? 'unknown',
    startNs: columns.startNs[row],
    durationNs: columns.durationNs[row],
    pid: process?.pid ?? -1,
    ...(host !== undefined && { host }),
    tid: thread?.tid ?? -1,
    threadName: thread?.name ?? '',
    bytes: copy.bytes,
    direction: copy.direction,
    ...(returnCode !== NOT_RETURNED && { returnCode }),
    ...(parent >= 0 && { parent }),
    children: childrenOf(trace, row),
    stack: framesOf(trace.stacks, columns.stack?.[row] ?? NONE).map(namedFrame),
  };
}

/** The driver calls made by runtime call `row`: they start within it. */
function childrenOf(trace: Trace, row: number): CallExplanation['call']['children'] {
  const { parent, startNs, durationNs, op } = trace.tables.cuda_call.columns;
  if (parent === undefined) return [];
  const endNs = startNs[row] + durationNs[row];
  const children: CallExplanation['call']['children'][number][] = [];
  for (let at = lowerBound(startNs, startNs[row]); startNs[at] <= endNs; at++) {
    if (parent[at] !== row) continue;
    children.push({ row: at, name: trace.names[op[at]] ?? 'unknown', durationNs: durationNs[at] });
  }
  return children;
}
