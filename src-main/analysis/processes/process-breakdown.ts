import type {
  ProcessBreakdown,
  ProcessBreakdowns,
  ThreadBreakdown,
} from '../../shared/answers/process-breakdown.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import { outsideJob } from '../../shared/model/outside-job.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { keptSwitches } from '../coverage/kept-events.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { processLineage, processName } from '../jobs/thread-label.ts';
import { figureBases } from './figure-bases.ts';
import { sumActivity } from './sum-activity.ts';
import { type ActivitySpan, activityOfThread } from './thread-activity.ts';

/**
 * What every process and thread did over `span`, else over the whole trace. CPU time and waits are as
 * far as every switch of a thread is stored; a thread that was not followed has only the slices in
 * which others waited for its CPU.
 */
export function processBreakdown(
  trace: Trace,
  span?: { readonly startNs: number; readonly endNs: number },
): ProcessBreakdowns {
  const over: ActivitySpan =
    span === undefined
      ? { startNs: 0, endNs: trace.meta.lengthNs, isWhole: true }
      : { ...span, isWhole: false };
  const outside = outsideJob(trace.processes);
  return {
    processes: trace.processes.map((_, process) =>
      breakdownOf(trace, process, outside[process] === false, over),
    ),
    bases: figureBases(trace, over),
    note: noteOf(trace, over),
  };
}

function breakdownOf(
  trace: Trace,
  process: number,
  insideJob: boolean,
  span: ActivitySpan,
): ProcessBreakdown {
  const info = trace.processes[process];
  const index = jobIndex(trace);
  const rank = index.rankOf(process)?.rank;
  const host = hostNote(trace, info);
  const threads = index.threadsOf(process).map((thread) => threadBreakdown(trace, thread, span));
  return {
    ...{ process, pid: info.pid, name: info.name, role: info.role, roleBasis: info.roleBasis },
    ...(host !== undefined && { host, hostIndex: info.host ?? 0 }),
    label: processName(trace, process),
    lineage: processLineage(trace, process),
    roleSet: info.roleSet === true,
    ...(rank !== undefined && { rank }),
    parent: index.tree.parents[process],
    insideJob,
    ...(info.startNs !== undefined && { startNs: info.startNs }),
    ...(info.endNs !== undefined && { endNs: info.endNs }),
    threads,
    // What a helper sleeps through between two batches is no stall.
    ...sumActivity(threads, ({ role }) => role === info.role),
  };
}

function threadBreakdown(trace: Trace, thread: number, span: ActivitySpan): ThreadBreakdown {
  const { tid, name, role, roleBasis } = trace.threads[thread];
  return {
    ...{ thread, tid, name, role, roleBasis: roleBasis ?? '' },
    ...activityOfThread(trace, thread, span),
  };
}

function noteOf(trace: Trace, { isWhole }: ActivitySpan): string {
  const { off_cpu: offCpu, aggregate } = trace.tables;
  const notes: string[] = [];
  if (offCpu.provenance.kind === 'absent' || offCpu.rows === 0)
    notes.push('This trace holds no context switches.');
  else if (keptSwitches(trace) === 'some') notes.push('Not every context switch is stored.');
  else if (keptSwitches(trace) === 'unknown')
    notes.push('Whether every context switch is stored is not known.');
  if (!isWhole && aggregate.rows > 0)
    notes.push('What the recorder only summed is of the whole file, and left out of a range.');
  return notes.join(' ');
}
