import type { RowFacts, Submitter } from '../../shared/answers/row-facts.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { gpuWorkNames, workColumns } from '../build/gpu-work-names.ts';
import { eventColumns } from '../model/event-source.ts';
import { remember } from '../model/remember.ts';
import { callOfWork, workOfCall } from '../model/submissions.ts';
import type { TraceData } from '../model/trace-data.ts';
import { traceNames } from '../model/trace-names.ts';

/** What row `row` of gpu_work does not hold itself. */
export function toldOfWork(data: TraceData, row: number): Pick<RowFacts, 'submitter' | 'fullName'> {
  const submitter = submitterOf(data, row);
  const fullName = fullWorkName(data, row);
  return {
    ...(submitter !== undefined && { submitter }),
    ...(fullName !== undefined && { fullName }),
  };
}

/** Who asked for row `row` of gpu_work; nothing where that is not recorded. */
function submitterOf(data: TraceData, row: number): Submitter | undefined {
  const call = callOfWork(data.tables, row);
  const calls = eventColumns(data.tables, 'cuda_call');
  const work = workColumns(data);
  if (call < 0 || calls === undefined || work === undefined) return undefined;
  const names = remember(data.summary, 'names', () => traceNames(data.summary));
  const works = workOfCall(data.tables, call);
  const callStartNs = calls.startNs[call];
  const callEndNs = callStartNs + Math.max(0, calls.durationNs?.[call] ?? 0);
  const place = { number: works.indexOf(row) + 1, of: works.length };
  return {
    row: call,
    name: names.name(calls.op?.[call] ?? -1),
    thread: names.threadLabel(calls.thread?.[call] ?? -1),
    delay: delayText(work.startNs[row], callStartNs, callEndNs),
    ...(works.length > 1 && { place }),
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

/** What a piece of GPU work is called on its track: of a kernel the base name. */
export function shortWorkName(data: TraceData, row: number): string | undefined {
  const columns = workColumns(data);
  if (columns === undefined) return undefined;
  const names = gpuWorkNames(data, columns);
  return names.ofKey(names.keyOf(row)).short;
}

/** A kernel's name with all that its short one leaves out; nothing where that is all of it. */
function fullWorkName(data: TraceData, row: number): string | undefined {
  const columns = workColumns(data);
  if (columns === undefined) return undefined;
  const names = gpuWorkNames(data, columns);
  const { short, full } = names.ofKey(names.keyOf(row));
  return short === full ? undefined : full;
}
