import type { Basis } from '../../shared/answers/basis.ts';
import type { PartDetail } from '../../shared/answers/explanation.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { type CopyCall, copyCall, hostMemoryOf } from '../operations/copy-facts.ts';
import { copyRecordOf } from '../operations/gpu-record.ts';
import { callSum } from './call-sums.ts';
import type { PartKind, PartSums } from './part-sums.ts';
import { runningAs } from './running-as.ts';
import { type Runs, runsNs, stolenWithin, withinRuns } from './running-time.ts';
import { type SampledWork, sampledWork } from './sampled-work.ts';

/** A CUDA call whose time is split, and what else is known of it. */
export interface RunningCall {
  readonly row: number;
  /** Whether no earlier work of its process was outstanding when it was entered; absent = not known. */
  readonly streamEmpty?: boolean;
}

/** Time on a CPU. Where `ns` is less than the runs, it lies somewhere within them. */
export interface RunningTime {
  readonly runs: Runs;
  readonly ns: number;
  /** So much of the runs may have been off the CPU; absent = their length less `ns`. */
  readonly offAtMostNs?: number;
  /** `not switched off the CPU`: how it is known that it ran. */
  readonly why: string;
  readonly basis: Basis;
}

/** Fewer CPU samples than these show nothing of what most of the time went to. */
const SAMPLES_NEEDED = 5;

/** Adds the time of `ran` to `sums`, by what the thread did on the CPU as far as that is known. */
export function splitRunning(
  trace: Trace,
  thread: number,
  ran: RunningTime,
  call: RunningCall | undefined,
  sums: PartSums,
): void {
  const { runs } = ran;
  let restNs = ran.ns;
  if (restNs === 0) return;
  const take = (part: PartKind, ns: number, table?: 'page_fault' | 'cuda_call', row?: number) => {
    const taken = Math.min(restNs, ns);
    sums.add(part, taken, table, row);
    restNs -= taken;
  };
  const faults = addFaults(trace, thread, runs, (ns, row) => take(inFault, ns, 'page_fault', row));
  take(...stolenPart(trace, thread, runs, call, sums));
  const samples = sampledWork(trace, thread, runs);
  if (!faults && samples.samples >= SAMPLES_NEEDED && samples.inFault.length > 0)
    take(sampledFaults(samples), Math.round((restNs * samples.inFault.length) / samples.samples));
  if (call === undefined) take({ ...onCpu('on a CPU'), detail: 'other' }, restNs);
  else addOwnWork(trace, ran, call, samples, restNs, sums);
}

const inFault: PartKind = {
  kind: 'running',
  detail: 'fault',
  reason: 'in the kernel for a page of memory',
  basis: 'exact',
};

const onCpu = (reason: string) => ({ kind: 'running', reason, basis: 'exact' }) as const;

/** Whether single page faults are recorded here: then what is not one is not spent in one. */
function addFaults(
  trace: Trace,
  thread: number,
  runs: Runs,
  add: (ns: number, row: number) => void,
): boolean {
  const { columns, rows, provenance } = trace.tables.page_fault;
  if (rows > 0)
    withinRuns(
      runs,
      traceIndex(trace).rowsOf('page_fault', thread),
      columns.durationNs,
      (row, ns) => {
        add(ns, row);
      },
    );
  return provenance.kind === 'exact';
}

function stolenPart(
  trace: Trace,
  thread: number,
  runs: Runs,
  call: RunningCall | undefined,
  sums: PartSums,
): [PartKind, number] {
  const measured = callSum(trace, call?.row ?? -1, 'stolenNs');
  const part = { kind: 'running', detail: 'stolen' } as const;
  const reason = 'interrupts or the hypervisor had its CPU';
  if (measured !== undefined)
    return [
      { ...part, reason: `${reason}, ${measured.how}`, basis: measured.basis },
      Math.max(0, measured.value - sums.nsOf('running', 'stolen')),
    ];
  return [
    { ...part, reason: `${reason}, at least`, basis: 'inferred' },
    stolenWithin(trace, thread, runs),
  ];
}

function sampledFaults({ inFault: faults, samples }: SampledWork): PartKind {
  const reason = `in the kernel for a page of memory, by ${faults.length} of ${plural(samples, 'CPU sample')}`;
  return { kind: 'running', detail: 'fault', reason, basis: 'inferred' };
}

/** What a CUDA call did on the CPU beside faulting. */
function addOwnWork(
  trace: Trace,
  ran: RunningTime,
  call: RunningCall,
  samples: SampledWork,
  ns: number,
  sums: PartSums,
): void {
  const kind = cudaOpKind(trace.names[trace.tables.cuda_call.columns.op[call.row]] ?? '');
  const doing = runningAs(kind);
  const reason = `${ran.why}${doing === '' ? '' : ` (${doing})`}`;
  const add = (part: Partial<PartKind>, partNs: number) => {
    const whole: PartKind = {
      kind: 'running',
      detail: 'unknown',
      reason,
      basis: 'inferred',
      ...part,
      ...(ran.basis !== 'exact' && { basis: ran.basis }),
    };
    sums.add(whole, partNs, 'cuda_call', call.row);
  };
  if (kind === 'sync') add({ detail: 'device-wait' }, ns);
  else if (kind !== 'copy') add({ basis: 'exact' }, ns);
  else addCopy(trace, ran, call, samples, ns, add);
}

function addCopy(
  trace: Trace,
  ran: RunningTime,
  call: RunningCall,
  samples: SampledWork,
  ns: number,
  add: (part: Partial<PartKind>, ns: number) => void,
): void {
  const durationNs = trace.tables.cuda_call.columns.durationNs[call.row];
  const copy = copyCall(trace, call.row, Math.max(0, durationNs - ran.ns));
  const memory = hostMemoryOf(trace, call.row, copy);
  const pageable = memory.kind === 'pageable';
  const work = copyRecordOf(trace, call.row);
  if (work >= 0) addAsRecorded(trace, ran, work, pageable, ns, add);
  else if (pageable && copy.direction === 'H2D' && call.streamEmpty === true)
    add({ detail: 'staging-copy', reason: stagingReason(memory.basis) }, ns);
  else add({ basis: 'exact', ...mixedReason(copy, samples, ran) }, ns);
}

function stagingReason(basis: Basis): string {
  const known = basis === 'exact' ? '' : ' (inferred pageable)';
  return `copying pageable memory${known}: the GPU had finished all earlier work`;
}

/** Samples show that it copied, but not for how long: earlier work on its stream may have been unfinished. */
function mixedReason(
  { direction }: CopyCall,
  { samples, inCopy }: SampledWork,
  { why }: RunningTime,
): Partial<PartKind> {
  if (inCopy.length === 0 || samples < SAMPLES_NEEDED || direction === 'D2D') return {};
  const seen = `${inCopy.length} of ${plural(samples, 'CPU sample')} show it copying`;
  return { reason: `${why} (copying or waiting for the GPU; ${seen})` };
}

/**
 * Before the GPU began the copy the call waited for earlier work, then for the transfer. Where it is not
 * known when inside the runs it ran, only so much of each is told as cannot have been off the CPU.
 */
function addAsRecorded(
  trace: Trace,
  ran: RunningTime,
  work: number,
  pageable: boolean,
  ns: number,
  add: (part: Partial<PartKind>, ns: number) => void,
): void {
  const { runs, why } = ran;
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const [beganNs, endedNs] = [startNs[work], startNs[work] + durationNs[work]];
  const offNs = ran.offAtMostNs ?? runsNs(runs) - ran.ns;
  let restNs = ns;
  const addLeast = (detail: PartDetail, reason: string, fromNs: number, toNs: number) => {
    const leastNs = Math.min(restNs, Math.max(0, runsWithin(runs, fromNs, toNs) - offNs));
    if (offNs > 0) add({ detail, reason: `${reason}, at least`, isBound: true }, leastNs);
    else add({ detail, reason }, leastNs);
    restNs -= leastNs;
  };
  const during = 'while the GPU did the copy';
  addLeast('device-wait', 'before the GPU began the copy', -Infinity, beganNs);
  if (pageable) addLeast('staging-copy', `copying pageable memory, ${during}`, beganNs, endedNs);
  else addLeast('device-wait', during, beganNs, endedNs);
  if (offNs === 0) add({ detail: 'other', reason: 'after the GPU had done the copy' }, restNs);
  else {
    const copyNs = formatDuration(runsWithin(runs, beganNs, endedNs));
    const reason = `${why} (copying or waiting for the GPU, which did the copy in ${copyNs} of the call)`;
    add({ reason, basis: 'exact' }, restNs);
  }
}

function runsWithin({ startsNs, endsNs }: Runs, fromNs: number, toNs: number): number {
  return startsNs.reduce(
    (sum, startNs, at) => sum + Math.max(0, Math.min(endsNs[at], toNs) - Math.max(startNs, fromNs)),
    0,
  );
}
