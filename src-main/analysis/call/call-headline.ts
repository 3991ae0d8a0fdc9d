import type { CallExplanation, PartDetail } from '../../shared/answers/explanation.ts';
import type { CudaOpKind } from '../../shared/model/cuda-ops.ts';
import { formatBytes, formatCount, formatDuration, formatShare } from '../../shared/text/units.ts';
import { meanwhileSentence } from '../../shared/words/gpu-meanwhile-words.ts';
import { JUDGED_ABOVE_BYTES } from '../operations/copy-facts.ts';
import { runningAs } from '../threads/running-as.ts';
import { partNs, waitingWords } from './waiting-words.ts';

/** Fewer calls than these say nothing of what is usual. */
const PEERS_NEEDED = 10;

type Explained = Pick<
  CallExplanation,
  'call' | 'accounting' | 'rank' | 'hostMemory' | 'contention' | 'gpuMeanwhile'
> & {
  /** Whether any switch during the call can be in the trace. */
  readonly switchesRecorded: boolean;
  /** How its off-CPU time was spread, in words; absent where only sums are known of the call. */
  readonly stretches?: string;
};

/** What is known of the cause of a call's time, or that the cause is not in this trace. */
export function headlineOf(explained: Explained, kind: CudaOpKind, parentName?: string): string {
  const { call, rank } = explained;
  const failed =
    call.returnCode === undefined || call.returnCode === 0
      ? ''
      : `Returned code ${call.returnCode}. `;
  if (parentName !== undefined)
    return `${failed}Part of ${parentName}, which made this driver call: read that call instead.`;
  if (rank.of >= PEERS_NEEDED && call.durationNs <= rank.medianNs)
    return `${failed}Not slow: no longer than the median of ${formatCount(rank.of)} calls like it (${formatDuration(rank.medianNs)}).`;
  return failed + causeOf(explained, kind);
}

/** What the GPU was at while the thread waited for it, by its own records; empty where that is not known. */
function gpuWords({ gpuMeanwhile }: Explained, kind: CudaOpKind): string {
  const waits = kind === 'sync' || kind === 'copy' || kind === 'free';
  return gpuMeanwhile === undefined || !waits ? '' : meanwhileSentence(gpuMeanwhile);
}

function causeOf(explained: Explained, kind: CudaOpKind): string {
  const { call, accounting, switchesRecorded } = explained;
  const offCpuNs = offCpuPartsNs(accounting);
  const unexplainedNs = partNs(accounting, 'unexplained');
  if (unexplainedNs === 0) return accountedFor(explained, kind, offCpuNs);
  if (offCpuNs > 0) {
    const share = formatShare(offCpuNs, call.durationNs);
    return `Off the CPU for at least ${share} of its time (${formatDuration(offCpuNs)}); the rest is unexplained, because its switches are not all in this trace.`;
  }
  const byRecords = gpuWords(explained, kind);
  if (byRecords !== '') return `${byRecords} What its thread did meanwhile is not in this trace.`;
  const missing = switchesRecorded
    ? 'its switches were not all kept'
    : 'its switches are not recorded';
  return [
    `Nothing in this trace shows what this call waited for: ${missing}.`,
    hintOf(explained, kind),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function accountedFor(explained: Explained, kind: CudaOpKind, offCpuNs: number): string {
  const { call, accounting, stretches } = explained;
  if (call.durationNs === 0)
    return 'The call took less time than the clock of this trace resolves.';
  const runningNs = partNs(accounting, 'running');
  if (offCpuNs < runningNs) {
    const byRecords = gpuWords(explained, kind);
    return `${onCpuWords(explained, kind, runningNs)}${byRecords === '' ? '' : ` ${byRecords}`}`;
  }
  const words = waitingWords(explained);
  if (words !== undefined) return words;
  const waiting = partNs(accounting, 'runnable');
  const part = waiting === offCpuNs ? 'all' : formatDuration(waiting);
  if (stretches === undefined) return measuredWords(explained, offCpuNs);
  const forCpu = waiting > 0 ? `; ${part} of it waiting for a CPU` : '';
  return `Off the CPU for ${formatShare(offCpuNs, call.durationNs)} of its time: ${formatDuration(offCpuNs)} ${stretches}${forCpu}.`;
}

/** Of sums nothing is said but how much: not when, nor because of whom. */
function measuredWords({ call, accounting }: Explained, offCpuNs: number): string {
  const waitedNs = partNs(accounting, 'runnable');
  const of = `of ${formatDuration(call.durationNs)} (${formatShare(offCpuNs, call.durationNs)})`;
  if (waitedNs * 2 < offCpuNs) {
    const isBlocked = partNs(accounting, 'blocked') * 2 >= offCpuNs;
    const forCpu = waitedNs > 0 ? `, ${formatDuration(waitedNs)} of it waiting for a CPU` : '';
    return isBlocked
      ? `Blocked or off the CPU for ${formatDuration(offCpuNs)} ${of}${forCpu}; the cause is not recorded.`
      : `Off the CPU for ${formatDuration(offCpuNs)} ${of}${forCpu}; why is not recorded.`;
  }
  const more = offCpuNs - waitedNs;
  const blocked = more > 0 ? `, and was off it for ${formatDuration(more)} more` : '';
  const share = formatShare(waitedNs, call.durationNs);
  return `Waited ${formatDuration(waitedNs)} of ${formatDuration(call.durationNs)} (${share}) for a CPU${blocked}; who had it meanwhile is not recorded.`;
}

function onCpuWords({ call, accounting }: Explained, kind: CudaOpKind, runningNs: number): string {
  const share = formatShare(runningNs, call.durationNs);
  const doing = runningWords(accounting, kind, runningNs);
  return `On the CPU for ${share} of its time (${formatDuration(runningNs)})${doing === '' ? '' : `, ${doing}`}.`;
}

/** What most of the running time went to, where that is known; else what the call may have done. */
function runningWords(
  accounting: CallExplanation['accounting'],
  kind: CudaOpKind,
  runningNs: number,
): string {
  const isMost = (detail: PartDetail) => partNs(accounting, 'running', detail) * 2 > runningNs;
  if (isMost('staging-copy')) return 'copying pageable memory';
  if (isMost('device-wait')) return 'waiting for the GPU';
  if (isMost('fault')) return 'most of it in page faults';
  if (isMost('stolen')) return 'most of which interrupts or the hypervisor took';
  return runningAs(kind);
}

function hintOf({ call, hostMemory }: Explained, kind: CudaOpKind): string {
  if (kind === 'sync')
    return 'A call of this kind returns when the GPU has finished the work it waits for.';
  if (kind !== 'copy' || call.bytes < 0) return '';
  if (call.bytes <= JUDGED_ABOVE_BYTES)
    return `A copy of ${formatBytes(call.bytes)} is too small to be judged by its rate.`;
  if (hostMemory.kind !== 'pageable') return '';
  const way = call.direction === 'D2H' ? 'to' : 'from';
  return hostMemory.basis === 'exact'
    ? `It is a copy ${way} pageable memory.`
    : `Size and rate fit a copy ${way} pageable memory (inferred).`;
}

/** All time off the CPU, whatever it was spent on. */
export function offCpuPartsNs(accounting: CallExplanation['accounting']): number {
  return (['runnable', 'blocked', 'off-cpu'] as const).reduce(
    (sum, kind) => sum + partNs(accounting, kind),
    0,
  );
}
