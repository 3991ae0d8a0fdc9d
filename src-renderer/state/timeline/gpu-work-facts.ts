import { gpuWorkFacts } from '../../../src-main/shared/answers/gpu-work.ts';
import { gpuLabel } from '../../../src-main/shared/model/hosts.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { formatDuration, formatRate } from '../../../src-main/shared/text/units.ts';
import { gpuWorkWords } from '../../../src-main/shared/words/gpu-work-words.ts';
import {
  type GpuWorkColumns,
  gpuWorkNames,
} from '../../../src-main/timeline/build/gpu-work-names.ts';
import { eventColumns, remember } from '../../../src-main/timeline/model/event-source.ts';
import { callOfWork, workOfCall } from '../../../src-main/timeline/model/submissions.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import type { ReadCell } from './row-cells.ts';

interface Fact {
  readonly label: string;
  readonly value: string;
  readonly title?: string;
}

const workColumns = (data: TraceData) =>
  eventColumns(data.tables, 'gpu_work') as GpuWorkColumns | undefined;

/** The call that asked for a piece of GPU work. */
export interface Submitter {
  /** Row of cuda_call. */
  readonly row: number;
  readonly name: string;
  readonly thread: string;
  /** How long the work was queued, in words. */
  readonly delay: string;
  /** Which of how many pieces of work of that call this is, where there are several. */
  readonly place: { readonly number: number; readonly of: number } | undefined;
}

/** Who asked for row `row` of gpu_work; nothing where that is not recorded. */
export function submitterOf(data: TraceData, row: number): Submitter | undefined {
  const call = callOfWork(data.tables, row);
  const calls = eventColumns(data.tables, 'cuda_call');
  const work = workColumns(data);
  if (call < 0 || calls === undefined || work === undefined) return undefined;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const works = workOfCall(data.tables, call);
  const callStartNs = calls.startNs[call];
  const callEndNs = callStartNs + Math.max(0, calls.durationNs?.[call] ?? 0);
  return {
    row: call,
    name: names.name(calls.op?.[call] ?? -1),
    thread: names.threadLabel(calls.thread?.[call] ?? -1),
    delay: delayText(work.startNs[row], callStartNs, callEndNs),
    place: works.length > 1 ? { number: works.indexOf(row) + 1, of: works.length } : undefined,
  };
}

/** From the beginning of the call to that of the work, and which part of it the call was not waited for. */
function delayText(workNs: number, callStartNs: number, callEndNs: number): string {
  const queuedNs = workNs - callStartNs;
  // The GPU has a clock of its own, which is converted.
  if (queuedNs < 0) return `none: its clock is ${formatDuration(-queuedNs)} early`;
  const afterNs = workNs - callEndNs;
  const delay = formatDuration(queuedNs);
  return afterNs > 0
    ? `${delay}, ${formatDuration(afterNs)} after return`
    : `${delay}, inside the call`;
}

/** Where a piece of GPU work ran: GPU, stream, process. */
function placeFacts({ summary }: TraceData, read: ReadCell): Fact[] {
  const names = remember(summary, 'names', () => traceNames(summary));
  const [gpu, stream, owner] = ['gpu', 'stream', 'process'].map(read);
  const facts: Fact[] = [];
  if (gpu !== undefined && gpu >= 0) {
    const model = summary.gpus[gpu]?.model ?? '';
    const value = cleanText([gpuLabel(summary, gpu), model].filter(Boolean).join(' · '));
    facts.push({ label: 'GPU', value });
  }
  if (stream !== undefined && stream >= 0)
    facts.push({ label: 'Stream', value: names.streamLabel(stream) || String(stream) });
  const process = summary.processes[owner ?? -1];
  if (process !== undefined)
    facts.push({ label: 'Process', value: `${cleanText(process.name)} · pid ${process.pid}` });
  return facts;
}

/** What is known of a row of gpu_work beside its time: what and where it was, how fast. */
export function workFacts(data: TraceData, read: ReadCell): Fact[] {
  const known = gpuWorkFacts(read);
  const { bytes = 0 } = known;
  const durationNs = read('durationNs') ?? 0;
  const facts: Fact[] = [...placeFacts(data, read), ...gpuWorkWords(known)];
  const isMoved = bytes > 0 && durationNs > 0 && known.kind !== 'kernel';
  if (isMoved) facts.push({ label: 'Rate', value: formatRate(bytes, durationNs) });
  return facts;
}

/** What a piece of GPU work is called on its track: of a kernel the base name. */
export function shortWorkName(data: TraceData, row: number): string | undefined {
  const columns = workColumns(data);
  if (columns === undefined) return undefined;
  const names = gpuWorkNames(data, columns);
  return names.ofKey(names.keyOf(row)).short;
}

/** A kernel's name with all that its short one leaves out; nothing where that is all of it. */
export function fullWorkName(data: TraceData, row: number): string | undefined {
  const columns = workColumns(data);
  if (columns === undefined) return undefined;
  const names = gpuWorkNames(data, columns);
  const { short, full } = names.ofKey(names.keyOf(row));
  return short === full ? undefined : full;
}

const LONG_NAME = 160;

/** The same for a tooltip: who asked for it first, a long name cut. */
export function workTooltip(
  data: TraceData,
  row: number,
  read: ReadCell,
): (readonly [label: string, value: string])[] {
  const submitter = submitterOf(data, row);
  const asked =
    submitter === undefined
      ? []
      : ([
          ['Asked for by', `${submitter.name} · ${submitter.thread}`],
          ['Queue delay', submitter.delay],
        ] as const);
  const facts = workFacts(data, read).map(({ label, value }) => [label, value] as const);
  const full = fullWorkName(data, row);
  const named = full === undefined ? [] : [['In full', cleanText(full, LONG_NAME)] as const];
  return [...asked, ...facts, ...named];
}
