import type { CallExplanation, WholeFileActivity } from '../shared/explanation.ts';
import type { Role, ThreadInfo, Trace } from '../shared/model/trace.ts';
import { formatDuration, plural } from '../shared/units.ts';
import type { ThreadActivity } from './activity.ts';
import { traceIndex } from './trace-index.ts';

/** Processes without a part in the training job that are listed, the busiest first. */
const OTHERS_SHOWN = 20;
const roleOrder: readonly Role[] = ['main', 'dataloader-worker', 'pin-memory', 'other', 'kernel'];

/** What every process did over the whole file, and whether the workers' part can bear on a call. */
export function wholeFile(
  trace: Trace,
  callStartNs: number,
  callEndNs: number,
): CallExplanation['wholeFile'] {
  const activity = traceIndex(trace).activity();
  const all = groupThreads(trace)
    .map((members) => sumActivity(trace, activity, members))
    .filter(
      (entry) => (entry.switches ?? 0) > 0 || (entry.pageAllocations ?? 0) > 0 || !isOther(entry),
    )
    .sort(byRoleThenSwitches);
  const shown = [
    ...all.filter((entry) => !isOther(entry)),
    ...all.filter(isOther).slice(0, OTHERS_SHOWN),
  ];
  const ruledOut = ruleOutWorkers(trace, callStartNs, callEndNs);
  return {
    note: noteOf(trace, activity, all.length - shown.length),
    activity: shown,
    ...(ruledOut !== undefined && { ruledOut }),
  };
}

function isOther({ role }: WholeFileActivity): boolean {
  return role === 'other' || role === 'kernel';
}

function byRoleThenSwitches(a: WholeFileActivity, b: WholeFileActivity): number {
  if (a.role !== b.role) return roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role);
  return a.role === 'dataloader-worker'
    ? a.pid - b.pid
    : (b.switches ?? 0) - (a.switches ?? 0) || a.pid - b.pid;
}

/** The threads of each process; in a main process, threads with another part than main stand alone. */
function groupThreads(trace: Trace): number[][] {
  const groups = new Map<string, number[]>();
  trace.threads.forEach((thread, index) => {
    const process = trace.processes[thread.process];
    if (process === undefined) return;
    const key = standsAlone(thread, process.role) ? `thread ${index}` : `${thread.process}`;
    groups.set(key, [...(groups.get(key) ?? []), index]);
  });
  return [...groups.values()];
}

function standsAlone({ role }: ThreadInfo, processRole: Role): boolean {
  return processRole === 'main' && role !== 'main';
}

function sumActivity(
  trace: Trace,
  activity: ThreadActivity,
  members: readonly number[],
): WholeFileActivity {
  const thread = trace.threads[members[0]];
  const process = trace.processes[thread.process];
  const alone = standsAlone(thread, process.role);
  const sum = (values: Float64Array) => members.reduce((total, at) => total + values[at], 0);
  const startNs = alone ? thread.startNs : process.startNs;
  return {
    process: thread.process,
    pid: process.pid,
    ...(alone && { tid: thread.tid }),
    name: alone ? thread.name : process.name || thread.name,
    role: alone ? thread.role : process.role,
    threads: members.length,
    ...(activity.hasSwitches && {
      switches: sum(activity.switches),
      offCpuNs: sum(activity.offCpuNs),
      longestOffCpuNs: Math.max(...members.map((at) => activity.longestOffCpuNs[at])),
    }),
    ...(activity.hasPages && {
      pageAllocations: sum(activity.pageAllocations),
      pageAllocationBytes: sum(activity.pageAllocationBytes),
    }),
    ...(startNs !== undefined && { startNs }),
  };
}

function noteOf(trace: Trace, activity: ThreadActivity, hidden: number): string {
  const length = formatDuration(trace.meta.lengthNs);
  const notes = [
    `Sums over the whole file (${length}) and all threads of a process, ${basisOf(trace, activity)}: never of this call alone.`,
  ];
  if (activity.contradictedBuckets > 0)
    notes.push('Where the file holds more switches than the recorder counted, these are summed.');
  if (hidden > 0)
    notes.push(`${plural(hidden, 'less busy process', 'less busy processes')} not listed.`);
  return notes.join(' ');
}

/** Whether the figures are the recorder's own sums or those of the stored events. */
function basisOf(trace: Trace, { switchSums }: ThreadActivity): string {
  const { columns, rows } = trace.tables.aggregate;
  if (rows === 0) return 'of the stored events';
  const sums = `kept by the recorder per ${formatDuration(columns.durationNs[0])}`;
  return switchSums.thread.length > 0 ? sums : `of the stored events or ${sums}`;
}

/** Why no worker can have slowed the call, where the times of their forks and ends prove it. */
function ruleOutWorkers(trace: Trace, startNs: number, endNs: number): string | undefined {
  const workers = trace.processes.filter(({ role }) => role === 'dataloader-worker');
  if (workers.length === 0) return undefined;
  const forkedNs = workers.map((worker) => worker.startNs ?? -Infinity);
  const firstForkNs = Math.min(...forkedNs);
  if (firstForkNs > endNs)
    return `The DataLoader workers were forked ${formatDuration(firstForkNs - endNs)} after this call ended: they cannot have slowed it.`;
  const lastEndNs = Math.max(...workers.map((worker) => worker.endNs ?? Infinity));
  if (lastEndNs < startNs)
    return `The DataLoader workers had ended ${formatDuration(startNs - lastEndNs)} before this call began: they cannot have slowed it.`;
  return undefined;
}
