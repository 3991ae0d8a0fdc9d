import type { CannotTell } from '../../shared/answers/basis.ts';
import type { AccountingPart, CallExplanation } from '../../shared/answers/explanation.ts';
import { NONE, type TableName } from '../../shared/model/schema.ts';
import { findRow, isPython } from '../../shared/model/stacks.ts';
import type { ThreadInfo, Trace } from '../../shared/model/trace.ts';
import { formatCount, formatDuration } from '../../shared/text/units.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import { switchCoverage } from '../coverage/coverage.ts';
import { bucketLengthsText } from '../coverage/whole-file-note.ts';
import { recordLimits } from '../gpu/record-limits.ts';
import { whichWaitOpen } from '../gpu/which-wait.ts';
import { traceIndex } from '../index/trace-index.ts';
import { type CopyCall, JUDGED_ABOVE_BYTES, touchesHost } from '../operations/copy-facts.ts';
import { copyRecordOf } from '../operations/gpu-record.ts';
import { whereToCapture } from '../threads/call-sums.ts';
import { partNs } from './waiting-words.ts';

/** The rest of an explanation, from which follows what it leaves open. */
export interface OpenEnds {
  readonly call: number;
  readonly thread: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly copy: CopyCall;
  readonly explained: Pick<
    CallExplanation,
    | 'call'
    | 'accounting'
    | 'contention'
    | 'offCpu'
    | 'hostMemory'
    | 'rate'
    | 'wholeFile'
    | 'gpuMeanwhile'
  >;
}

type Question = (trace: Trace, open: OpenEnds) => CannotTell | undefined;

/** The questions about this call that this trace cannot answer, and for each the reason. */
export function cannotTell(trace: Trace, open: OpenEnds): CannotTell[] {
  return questions.flatMap((question) => question(trace, open) ?? []);
}

const questions: readonly Question[] = [
  onCpu,
  runningFor,
  holderOfCpu,
  waitForCpu,
  waitReason,
  waker,
  workers,
  hostMemory,
  transferRate,
  pageFaults,
  gpuWork,
  waitedFor,
  graphWork,
  pythonLine,
];

/** Which capture would tell. */
const captures = {
  switches: 'A capture with Stalltrace’s agent as root records it.',
  onHost:
    'A capture with Stalltrace’s agent as root records it; for a job in a container, capture on its host.',
  faults: 'A capture with the profile “faults” would tell',
  gpu: 'A capture by which Stalltrace’s agent starts the job (`record -- COMMAND`) records what the GPU does.',
  memory: 'A capture by which the agent starts the job, instead of attaching to it, would tell.',
} as const;

/** False where it is known that the thread never left the CPU: then nobody woke it and it waited for nothing. */
function mayHaveWaited(open: OpenEnds): boolean {
  const { offCpu } = open.explained;
  return (!offCpu.complete || offCpu.spans.length > 0) && hasParts(open, 'runnable', 'blocked');
}

/** Whether any of its time is, or may be, of one of these kinds. */
function hasParts({ explained: { accounting } }: OpenEnds, ...kinds: AccountingPart['kind'][]) {
  return [...kinds, 'off-cpu' as const, 'unexplained' as const].some(
    (kind) => partNs(accounting, kind) > 0,
  );
}

/** Whether all that is known of its time off the CPU are sums measured around the call. */
function isMeasured({ explained: { offCpu } }: OpenEnds): boolean {
  return offCpu.measuredNs !== undefined && offCpu.spans.length === 0;
}

function because({ tables }: Trace, table: TableName, otherwise: string): string {
  return tables[table].rows > 0 ? otherwise : whyMissing(tables, table, otherwise);
}

function onCpu(_trace: Trace, open: OpenEnds): CannotTell | undefined {
  const { offCpu } = open.explained;
  if (offCpu.complete) return undefined;
  if (isMeasured(open))
    return {
      question: 'When during this call was the thread off the CPU?',
      because: `${offCpu.note} ${captures.onHost}`,
    };
  return { question: 'Was the thread on a CPU during this call?', because: offCpu.note };
}

/** Only copies: that a sync waits for the GPU is what it is for. */
function runningFor(trace: Trace, { call, copy, explained }: OpenEnds): CannotTell | undefined {
  const ns = partNs(explained.accounting, 'running', 'unknown');
  if (!copy.isCopy || ns === 0) return undefined;
  if (copyRecordOf(trace, call) >= 0)
    return {
      question: 'While it ran, was it copying or waiting for the GPU?',
      because: `When the GPU did the copy is recorded, but not when in the call the thread ran. ${captures.onHost}`,
    };
  const reason =
    'Earlier work of the GPU may have been unfinished, and when the GPU did the copy is not recorded.';
  return {
    question: 'While it ran, was it copying or waiting for the GPU?',
    because: `${reason} ${captures.gpu}`,
  };
}

function holderOfCpu(trace: Trace, open: OpenEnds): CannotTell | undefined {
  const { rows, provenance } = trace.tables.on_cpu;
  if (!mayHaveWaited(open) || !hasParts(open, 'runnable')) return undefined;
  if (rows > 0 && open.explained.contention.unknownNs === 0) return undefined;
  const reason = rows > 0 ? open.explained.contention.note : because(trace, 'on_cpu', NO_SLICES);
  const capture = isMeasured(open) ? captures.onHost : captures.switches;
  const how = provenance.kind === 'absent' ? ` ${capture}` : '';
  return { question: 'Who held the CPU while the thread was off it?', because: reason + how };
}

const NO_SLICES = 'No on-CPU slices are recorded.';

function waitForCpu(trace: Trace, open: OpenEnds): CannotTell | undefined {
  if (!mayHaveWaited(open)) return undefined;
  const { columns, columnProvenance } = trace.tables.off_cpu;
  const inCall = trace.tables.cuda_call.columns.runQueueNs?.[open.call] ?? -1;
  const known = open.explained.offCpu.spans.every(
    ({ row }) => (columns.runQueueNs?.[row] ?? -1) >= 0,
  );
  if (inCall >= 0 || (columns.runQueueNs !== undefined && known)) return undefined;
  const reason = columnProvenance.runQueueNs?.note || 'The time spent runnable is not recorded.';
  return { question: 'Was it ready to run, but without a CPU?', because: reason };
}

function waitReason(trace: Trace, open: OpenEnds): CannotTell | undefined {
  const { columns, columnProvenance } = trace.tables.off_cpu;
  if (!mayHaveWaited(open) || (isMeasured(open) && !hasParts(open, 'blocked'))) return undefined;
  if (isMeasured(open))
    return {
      question: 'What did it wait for while it was not waiting for a CPU?',
      because: `For how long was measured around the call, not for what. ${captures.onHost}`,
    };
  if (columns.state === undefined)
    return {
      question: 'Did it wait for a lock, a pipe or a disk, or was it preempted?',
      because: columnProvenance.state?.note || 'Task states at switch-out are not recorded.',
    };
  if (partNs(open.explained.accounting, 'blocked', 'unknown') === 0) return undefined;
  return {
    question: 'What did it wait for while it was blocked?',
    because: 'Neither its system call nor a file shows it for all of that time.',
  };
}

function waker(trace: Trace, open: OpenEnds): CannotTell | undefined {
  const { off_cpu: offCpu, wakeup } = trace.tables;
  const known = offCpu.columns.waker !== undefined || wakeup.provenance.kind === 'exact';
  if (!mayHaveWaited(open) || known) return undefined;
  if (isMeasured(open) && !hasParts(open, 'blocked')) return undefined;
  const stored = wakeup.rows > 0 ? 'Not every wake-up was kept.' : 'No single wake-ups are stored.';
  const reason = offCpu.columnProvenance.waker?.note || because(trace, 'wakeup', stored);
  return { question: 'Who woke the thread?', because: reason };
}

function workers(trace: Trace, open: OpenEnds): CannotTell | undefined {
  if (open.explained.wholeFile.ruledOut !== undefined) return undefined;
  const isWorker = trace.processes.map(({ role }) => role === 'dataloader-worker');
  const lived = (thread: ThreadInfo) =>
    (thread.startNs ?? -Infinity) < open.endNs && (thread.endNs ?? Infinity) > open.startNs;
  const allKnown = trace.threads.every(
    (thread, index) =>
      !(isWorker[thread.process] && lived(thread)) ||
      switchCoverage(trace, index, open.startNs, open.endNs).complete,
  );
  if (allKnown) return undefined;
  const { switchSums } = traceIndex(trace).activity();
  const reason =
    switchSums.thread.length > 0
      ? `Their switches are kept as sums per ${bucketLengthsText(switchSums)} only, or in part.`
      : notAllSwitches(trace);
  return { question: 'What did the DataLoader workers do during this call?', because: reason };
}

function notAllSwitches({ tables }: Trace): string {
  const { kind, note } = tables.off_cpu.provenance;
  return kind === 'sampled' && note !== ''
    ? `Their states are samples: ${note}`
    : 'Their switches are not all recorded.';
}

function hostMemory(trace: Trace, { call, copy, explained }: OpenEnds): CannotTell | undefined {
  if (!touchesHost(copy) || explained.hostMemory.basis === 'exact') return undefined;
  const asRecorded = trace.tables.cuda_call.columns.hostMemory?.[call] ?? 0;
  const reason =
    explained.hostMemory.basis === 'inferred' && asRecorded === 0
      ? 'The kind of memory is not recorded; it is inferred from size and duration.'
      : inferredText(explained.hostMemory);
  return { question: 'Was the host memory pinned?', because: withCapture(explained, reason) };
}

/** That a kind is known by inference is the reason, not how it is inferred. */
function inferredText({ kind, basis, note }: OpenEnds['explained']['hostMemory']): string {
  return basis === 'inferred' && kind !== 'unknown'
    ? `Probably it was ${kind}: that is inferred, not recorded with the copy. ${note}`
    : note;
}

function withCapture({ hostMemory }: OpenEnds['explained'], reason: string): string {
  return hostMemory.kind === 'unknown' ? `${reason} ${captures.memory}` : reason;
}

function transferRate(_trace: Trace, { copy, explained }: OpenEnds): CannotTell | undefined {
  if (!copy.isCopy || copy.bytes <= JUDGED_ABOVE_BYTES || explained.rate !== undefined)
    return undefined;
  const reason =
    copy.isAsync && explained.hostMemory.kind === 'unknown'
      ? `Its duration may not be the transfer’s: the call may only have put the copy in a queue. ${explained.hostMemory.note}`
      : 'The call only put the copy in a queue; its duration is not the transfer’s.';
  return { question: 'How fast was the transfer?', because: reason };
}

function pageFaults(trace: Trace, { call }: OpenEnds): CannotTell | undefined {
  const inCall = trace.tables.cuda_call.columns.minorFaults?.[call] ?? -1;
  const { kind } = trace.tables.page_fault.provenance;
  if (inCall >= 0 || kind === 'exact') return undefined;
  const reason = because(trace, 'page_fault', 'Page faults are not all recorded.');
  return {
    question: 'Which pages faulted inside the call?',
    because: `${reason} ${captures.faults}${whereToCapture(trace)}.`,
  };
}

function gpuWork(trace: Trace, { explained }: OpenEnds): CannotTell | undefined {
  const unknown = explained.gpuMeanwhile?.parts.find(({ kind }) => kind === 'unknown');
  if (unknown !== undefined)
    return {
      question: `What did the GPU do for ${formatDuration(unknown.ns)} of this call?`,
      because: whyUnknown(trace, explained),
    };
  if (trace.tables.gpu_work.rows > 0) return undefined;
  const reason = because(trace, 'gpu_work', 'What the GPU ran is not recorded.');
  return { question: 'What did the GPU do meanwhile?', because: `${reason} ${captures.gpu}` };
}

function whyUnknown(trace: Trace, { call }: OpenEnds['explained']): string {
  const thread = trace.tables.cuda_call.columns.thread[call.row];
  const { blind } = recordLimits(trace, trace.threads[thread]?.process ?? NONE);
  return blind ?? 'Records of the GPU’s work are missing then, or are still to come.';
}

/** A wait that names no stream, when several had work. */
function waitedFor(trace: Trace, { call }: OpenEnds): CannotTell | undefined {
  const open = whichWaitOpen(trace, call);
  return open === undefined
    ? undefined
    : { question: 'Which work did it wait for?', because: open };
}

/** Of a graph that is recorded as a whole. */
function graphWork(_trace: Trace, { explained }: OpenEnds): CannotTell | undefined {
  const graphs = explained.gpuMeanwhile?.graphs ?? 0;
  if (graphs === 0) return undefined;
  return {
    question: `Which kernels and copies ran in the ${graphs === 1 ? 'graph' : `${formatCount(graphs)} graphs`}?`,
    because: 'A graph is recorded as a whole: copies in it are not seen, nor how fast they were.',
  };
}

function pythonLine(trace: Trace, { call }: OpenEnds): CannotTell | undefined {
  const { stacks, tables } = trace;
  const stack = tables.cuda_call.columns.stack?.[call] ?? NONE;
  if (findRow(stacks, stack, (frame) => isPython(stacks, frame)) !== NONE) return undefined;
  const reason =
    stack === NONE ? 'No stack is recorded for this call.' : 'Its stack holds native frames only.';
  return { question: 'Which line of Python made this call?', because: reason };
}
