import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatDuration, formatMoment } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';

/** Shorter times off the CPU nobody asks about. */
const LONG_NS = 100e6;
/** Who starts a program and waits for it does so at once. */
const AT_ONCE_NS = 50e6;
const NAMED = 3;

/** The process, no DataLoader worker, that `thread` had started just before it left the CPU for long in off_cpu row `row`; -1 = none. */
function startedBefore(trace: Trace, row: number): number {
  const { thread, startNs, durationNs } = trace.tables.off_cpu.columns;
  if (durationNs[row] < LONG_NS) return NONE;
  const { columns } = trace.tables.process_event;
  const fork = codeOf(processEventKinds, 'fork');
  const { rows, startsNs } = traceIndex(trace).rowsOf('process_event', thread[row]);
  for (let at = startsNs.upperBound(startNs[row]) - 1; at >= 0; at--) {
    if (startNs[row] - startsNs.nsAt(at) > AT_ONCE_NS) break;
    if (columns.kind[rows[at]] !== fork) continue;
    const child = trace.threads[columns.subject?.[rows[at]] ?? NONE]?.process ?? NONE;
    if (child === NONE || child === trace.threads[thread[row]]?.process) continue;
    // A loop waits for its workers' batches, never for their end.
    if (trace.processes[child].role !== 'dataloader-worker') return child;
  }
  return NONE;
}

/** `right after it started ptxas (pid 300)`: of a long time off the CPU; empty where it is not so. */
export function afterForkText(trace: Trace, row: number): string {
  const child = row < 0 ? NONE : startedBefore(trace, row);
  if (child === NONE) return '';
  const { name, pid } = trace.processes[child];
  return `right after it started ${cleanText(name, 80)} (pid ${pid})`;
}

/** The long times off the CPU of a main `thread` that began right after a fork, in a sentence; empty without any. */
export function sleepsAfterFork(trace: Trace, thread: number): string {
  const { columns } = trace.tables.off_cpu;
  const sleeps = [...traceIndex(trace).switchesOf(thread).rows]
    .filter((row) => startedBefore(trace, row) !== NONE)
    .sort((a, b) => columns.durationNs[b] - columns.durationNs[a]);
  if (sleeps.length === 0) return '';
  const words = sleeps
    .slice(0, NAMED)
    .map(
      (row) =>
        `${formatDuration(columns.durationNs[row])} from ${formatMoment(columns.startNs[row])}, ${afterForkText(trace, row)}`,
    );
  const more = sleeps.length > NAMED ? `; and ${sleeps.length - NAMED} more` : '';
  return `The main thread was off the CPU for ${words.join('; for ')}${more}: it may have waited for that program.`;
}
