import type { Rank, ThreadLabel } from '../../shared/answers/jobs.ts';
import { hostNote, pidText } from '../../shared/model/hosts.ts';
import {
  drivesGpu,
  type ProcessInfo,
  type ThreadInfo,
  type Trace,
} from '../../shared/model/trace.ts';
import { roleLabels } from '../../shared/words/terms.ts';
import { type JobIndex, jobIndex } from './job-index.ts';

const unknownThread: ThreadInfo = { tid: 0, process: -1, name: '', role: 'other' };

/** How to speak of `thread` beside the rank `from` that is being explained. Names are as recorded. */
export function labelThread(trace: Trace, thread: number, from: Rank | undefined): ThreadLabel {
  const info = trace.threads[thread] ?? unknownThread;
  const index = jobIndex(trace);
  const process = trace.processes[info.process];
  return {
    thread,
    process: info.process,
    pid: process?.pid ?? 0,
    ...hostOf(trace, process),
    tid: info.tid,
    role: info.role,
    name: threadName(trace, index, thread, info),
    lineage: processLineage(trace, info.process),
    relation: relationOf(trace, index, info, from),
  };
}

function hostOf(trace: Trace, process: ProcessInfo | undefined): { host?: string } {
  const host = process === undefined ? undefined : hostNote(trace, process);
  return host === undefined ? {} : { host };
}

/** `DataLoader worker 3`, `Training process`, else its own name; the same for all its threads. */
export function processName(trace: Trace, process: number): string {
  const info = trace.processes[process];
  if (info === undefined) return 'a thread that is not known';
  const place = jobIndex(trace).workerPlace(process);
  if (place !== undefined) return `${roleLabels['dataloader-worker']} ${place.number}`;
  if (drivesGpu(info.role)) return roleLabels[info.role];
  return INTERPRETER.test(info.name) ? interpreterName(trace, process, info) : nameOf(info);
}

/** A name that says of what kind a program is, and not which. */
const INTERPRETER = /^python[\d.]*$/;

/** `Child of the training process`, where it was forked; else `collect.py`, what was started; else its own name. */
function interpreterName(trace: Trace, process: number, info: ProcessInfo): string {
  const parent = trace.processes[jobIndex(trace).tree.parents[process]];
  const line = info.commandLine ?? '';
  const script = /(?:^|[\s/])([\w.-]{1,60}\.py)(?:\s|$)/.exec(line)?.[1];
  const isOwn = script === undefined || line === parent?.commandLine;
  if (parent !== undefined && drivesGpu(parent.role) && isOwn)
    return `Child of the ${roleLabels[parent.role].toLowerCase()}`;
  return script ?? nameOf(info);
}

function nameOf({ name, pid }: ProcessInfo): string {
  return name === '' ? `pid ${pid}` : name;
}

function threadName(trace: Trace, index: JobIndex, thread: number, info: ThreadInfo): string {
  const process = trace.processes[info.process];
  const whole = processName(trace, info.process);
  if (process === undefined || info.tid === process.pid || process.role === 'kernel') return whole;
  if (info.role !== process.role && info.role !== 'other') {
    const servant = roleLabels[info.role];
    return drivesGpu(process.role) ? servant : `${servant} of ${whole}`;
  }
  if (index.rankOf(info.process)?.mainThread === thread) return whole;
  const own = info.name === '' || info.name === process.name ? `thread ${info.tid}` : info.name;
  return process.role === 'other' ? own : `${own} of ${whole}`;
}

/** `of rank 1 · pid 4242`, `started by sshd (pid 311)`, or nothing. */
export function processLineage(trace: Trace, process: number): string {
  const index = jobIndex(trace);
  const info = trace.processes[process];
  if (info === undefined || info.role === 'kernel') return '';
  const place = index.workerPlace(process);
  if (place !== undefined) {
    const { rank, generation, hasOtherLoaders } = place;
    const loader = hasOtherLoaders ? `loader ${rank.generations[generation].loader + 1} of ` : '';
    return `of ${loader}${rank.label}`;
  }
  const rank = index.rankOf(process);
  if (rank?.process === process) return rank.rank === undefined ? '' : `rank ${rank.rank}`;
  const parent = trace.processes[index.tree.parents[process]];
  return parent === undefined ? '' : `started by ${nameOf(parent)} (${pidText(trace, parent)})`;
}

function relationOf(
  trace: Trace,
  index: JobIndex,
  { process }: ThreadInfo,
  from: Rank | undefined,
): ThreadLabel['relation'] {
  const info = trace.processes[process];
  if (info?.role === 'kernel') return 'kernel';
  const rank = index.rankOf(process);
  if (from !== undefined && rank !== undefined) {
    if (process === from.process) return 'self';
    if (rank.process === from.process) return 'own-rank';
  }
  if (rank === undefined && index.isRecorder(process)) return 'recorder';
  const job = from === undefined ? undefined : index.jobOf(from.process);
  return job !== undefined && index.jobOf(process) === job ? 'own-job' : 'other';
}
