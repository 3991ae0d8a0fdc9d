import type { CallExplanation, WholeFileActivity } from '../../shared/answers/explanation.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import { drivesGpu, type Role, roles, type Trace } from '../../shared/model/trace.ts';
import { formatDuration } from '../../shared/text/units.ts';
import type { ThreadActivity } from '../index/activity.ts';
import { perRoles } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { wholeFileNote } from './whole-file-note.ts';

/** Processes without a part in the training job that are listed, the busiest first. */
const OTHERS_SHOWN = 20;
/** In the order of roles, but with strangers before the kernel's own threads. */
const roleOrder: readonly Role[] = [
  ...roles.filter((role) => role !== 'kernel' && role !== 'other'),
  'other',
  'kernel',
];

type Activity = Pick<CallExplanation['wholeFile'], 'note' | 'activity'>;

/** What every process did over the whole file, and whether the workers' part can bear on a call. */
export function wholeFile(
  trace: Trace,
  callStartNs: number,
  callEndNs: number,
): CallExplanation['wholeFile'] {
  const activity = activityOf(trace);
  const ruledOut = ruleOutWorkers(trace, callStartNs, callEndNs);
  return { ...activity, ...(ruledOut !== undefined && { ruledOut }) };
}

/** The same for every call, so worked out once. */
const activityOf = perRoles((trace): Activity => {
  const activity = traceIndex(trace).activity();
  const entries = subjectsOf(trace)
    .map((subject) => sumActivity(trace, activity, subject))
    .filter(
      (entry) => (entry.switches ?? 0) > 0 || (entry.pageAllocations ?? 0) > 0 || !isOther(entry),
    )
    .sort(byRoleThenSwitches);
  const all = withoutEchoes(entries);
  const shown = [
    ...all.filter((entry) => !isOther(entry)),
    ...all.filter(isOther).slice(0, OTHERS_SHOWN),
  ];
  const hasThreads = shown.some(({ tid }) => tid !== undefined);
  const hidden = all.length - shown.length;
  return { note: wholeFileNote(trace, activity, { hidden, hasThreads }), activity: shown };
});

/** Where one thread did all that its process did, its own row would say the same again. */
function withoutEchoes(entries: readonly WholeFileActivity[]): WholeFileActivity[] {
  const rowsOf = new Map<number, number>();
  for (const { process } of entries) rowsOf.set(process, (rowsOf.get(process) ?? 0) + 1);
  return entries.filter(({ tid, process }) => tid === undefined || rowsOf.get(process) !== 2);
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

/** What a row is of: a whole process, or one thread of it. */
interface Subject {
  readonly threads: readonly number[];
  readonly isThread: boolean;
}

/** Every process; below a main process whose threads have different parts, each of its threads too. */
function subjectsOf(trace: Trace): Subject[] {
  const processes = new Map<number, number[]>();
  trace.threads.forEach(({ process }, index) => {
    if (trace.processes[process] === undefined) return;
    const members = processes.get(process);
    if (members === undefined) processes.set(process, [index]);
    else members.push(index);
  });
  return [...processes].flatMap(([process, threads]) => {
    const { role } = trace.processes[process];
    const hasParts = drivesGpu(role) && threads.some((at) => trace.threads[at].role !== role);
    const each = hasParts ? threads.map((thread) => ({ threads: [thread], isThread: true })) : [];
    return [{ threads, isThread: false }, ...each];
  });
}

function sumActivity(
  trace: Trace,
  activity: ThreadActivity,
  { threads: members, isThread }: Subject,
): WholeFileActivity {
  const thread = trace.threads[members[0]];
  const process = trace.processes[thread.process];
  const host = hostNote(trace, process);
  const sum = (values: Float64Array) => members.reduce((total, at) => total + values[at], 0);
  const startNs = isThread ? thread.startNs : process.startNs;
  return {
    process: thread.process,
    pid: process.pid,
    ...(host !== undefined && { host }),
    ...(isThread && { tid: thread.tid }),
    name: isThread ? thread.name : process.name || thread.name,
    role: isThread ? thread.role : process.role,
    threads: members.length,
    ...(activity.hasSwitches && {
      switches: sum(activity.switches),
      offCpuNs: sum(activity.offCpuNs),
      longestOffCpuNs: members.reduce(
        (most, at) => Math.max(most, activity.longestOffCpuNs[at]),
        0,
      ),
    }),
    // Kept by process, they say nothing of one thread.
    ...(activity.hasPages &&
      !(isThread && activity.pagesByProcess) && {
        pageAllocations: sum(activity.pageAllocations),
        pageAllocationBytes: sum(activity.pageAllocationBytes),
      }),
    ...(startNs !== undefined && { startNs }),
  };
}

/** Why no worker can have slowed the call, where the times of their forks and ends prove it. */
function ruleOutWorkers(trace: Trace, startNs: number, endNs: number): string | undefined {
  let workers = 0;
  let firstForkNs = Infinity;
  let lastEndNs = -Infinity;
  for (const process of trace.processes) {
    if (process.role !== 'dataloader-worker') continue;
    workers++;
    firstForkNs = Math.min(firstForkNs, process.startNs ?? -Infinity);
    lastEndNs = Math.max(lastEndNs, process.endNs ?? Infinity);
  }
  if (workers === 0) return undefined;
  if (firstForkNs > endNs)
    return `The DataLoader workers were forked ${formatDuration(firstForkNs - endNs)} after this call ended: they cannot have slowed it.`;
  if (lastEndNs < startNs)
    return `The DataLoader workers had ended ${formatDuration(startNs - lastEndNs)} before this call began: they cannot have slowed it.`;
  return undefined;
}
