import type { CallExplanation, WholeFileActivity } from '../../shared/answers/explanation.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import {
  drivesGpu,
  type Role,
  roles,
  type ThreadInfo,
  type Trace,
} from '../../shared/model/trace.ts';
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

const HELPERS_APART =
  'Helper threads of a training process or model server stand in rows of their own, and are not in its sums.';

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
  const note = wholeFileNote(trace, activity, all.length - shown.length);
  const hasHelpers = shown.some(({ tid }) => tid !== undefined);
  return { note: hasHelpers ? `${note} ${HELPERS_APART}` : note, activity: shown };
});

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
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  });
  return [...groups.values()];
}

function standsAlone({ role }: ThreadInfo, processRole: Role): boolean {
  return drivesGpu(processRole) && role !== processRole;
}

function sumActivity(
  trace: Trace,
  activity: ThreadActivity,
  members: readonly number[],
): WholeFileActivity {
  const thread = trace.threads[members[0]];
  const process = trace.processes[thread.process];
  const alone = standsAlone(thread, process.role);
  const host = hostNote(trace, process);
  const sum = (values: Float64Array) => members.reduce((total, at) => total + values[at], 0);
  const startNs = alone ? thread.startNs : process.startNs;
  return {
    process: thread.process,
    pid: process.pid,
    ...(host !== undefined && { host }),
    ...(alone && { tid: thread.tid }),
    name: alone ? thread.name : process.name || thread.name,
    role: alone ? thread.role : process.role,
    threads: members.length,
    ...(activity.hasSwitches && {
      switches: sum(activity.switches),
      offCpuNs: sum(activity.offCpuNs),
      longestOffCpuNs: members.reduce(
        (most, at) => Math.max(most, activity.longestOffCpuNs[at]),
        0,
      ),
    }),
    // Kept by process, they say nothing of a thread that stands alone.
    ...(activity.hasPages &&
      !(alone && activity.pagesByProcess) && {
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
