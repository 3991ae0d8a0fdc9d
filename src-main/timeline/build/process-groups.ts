import { hostNote } from '../../shared/model/hosts.ts';
import { outsideJob } from '../../shared/model/outside-job.ts';
import { drivesGpu, groupRole, roles } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { plural } from '../../shared/text/units.ts';
import { roleLabels } from '../../shared/words/terms.ts';
import { remember } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { TraceNames } from '../model/trace-names.ts';
import type { Track, TrackGroup } from '../model/track-model.ts';
import { pidsText, rowsOf } from './process-rows.ts';
import { type ProcessThreads, shareRows } from './worker-rows.ts';

function processesByRole(data: TraceData): ProcessThreads[] {
  const found = new Map<string, ProcessThreads & { readonly threads: number[] }>();
  for (let thread = -1; thread < data.summary.threads.length; thread++) {
    const process = data.summary.threads[thread]?.process ?? -1;
    const role = groupRole(data.summary, thread);
    const key = `${role} ${process}`;
    const entry = found.get(key) ?? { process, role, threads: [] };
    found.set(key, entry);
    entry.threads.push(thread);
  }
  const pid = (process: number) => data.summary.processes[process]?.pid ?? 0;
  const host = (process: number) => data.summary.processes[process]?.host ?? 0;
  return [...found.values()].sort(
    (a, b) =>
      roles.indexOf(a.role) - roles.indexOf(b.role) ||
      host(a.process) - host(b.process) ||
      pid(a.process) - pid(b.process),
  );
}

function processName({ summary }: TraceData, process: number): string {
  const info = summary.processes[process];
  if (info === undefined) return 'process not known';
  const rank = info.rank === undefined ? '' : `rank ${info.rank} · `;
  return `${rank}${cleanText(info.name) || 'unnamed'}`;
}

function processLabel(data: TraceData, process: number): string {
  const pid = data.summary.processes[process]?.pid;
  return [processName(data, process), ...(pid === undefined ? [] : [`pid ${pid}`])].join(' · ');
}

/** `worker 0`, counted from 0 for each rank: `rank 1 worker 0`. */
function workerNames({ summary }: TraceData): (process: number) => string {
  const counts = new Map<string, number>();
  return (process) => {
    const info = summary.processes[process];
    const { rank, host = 0, worker: known } = info ?? {};
    const key = `${host} ${rank}`;
    const worker = known ?? counts.get(key) ?? 0;
    counts.set(key, worker + 1);
    return `${rank === undefined ? '' : `rank ${rank} `}worker ${worker}`;
  };
}

interface GroupDraft {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly startsCollapsed?: true;
  readonly tracks: Track[];
}

/** A trace of several hosts has each group once a host, and says which it is. */
function draftOf(data: TraceData, threads: ProcessThreads): Omit<GroupDraft, 'tracks'> {
  return atHost(data, threads.process, hostDraft(data, threads));
}

function atHost<Draft extends Omit<GroupDraft, 'tracks'>>(
  { summary }: TraceData,
  process: number,
  draft: Draft,
): Draft {
  const info = summary.processes[process];
  const host = info && hostNote(summary, info);
  if (host === undefined) return draft;
  const id = info?.host === undefined ? draft.id : `${draft.id}@${info.host}`;
  return { ...draft, id, detail: [cleanText(host), draft.detail].filter(Boolean).join(' · ') };
}

function hostDraft(data: TraceData, { role, process }: ProcessThreads): Omit<GroupDraft, 'tracks'> {
  switch (role) {
    case 'main':
    case 'inference':
    case 'server':
    case 'gpu-process':
      return {
        id: `main:${process}`,
        label: roleLabels[role],
        detail: processLabel(data, process),
      };
    case 'dataloader-worker':
      return { id: 'workers', label: 'DataLoader workers', detail: '' };
    case 'launcher':
      return { id: `launcher:${process}`, label: 'Launcher', detail: processLabel(data, process) };
    case 'pin-memory':
      return { id: 'pin-memory', label: 'Pin-memory thread', detail: '' };
    default:
      if (isJobWithoutGpu(data, process)) return { id: 'job', label: 'The job', detail: '' };
      return { id: 'other', label: 'Other processes', detail: '' };
  }
}

/** Whether it is a part of a job of which no process is known to use a GPU: who was recorded is the job all the same. */
function isJobWithoutGpu({ summary }: TraceData, process: number): boolean {
  const { processes } = summary;
  if (processes[process] === undefined || processes.some(({ role }) => drivesGpu(role)))
    return false;
  const outside = remember(summary, 'outside the job', () => outsideJob(processes));
  return !outside[process] && processes.some(({ commandLine }) => commandLine !== undefined);
}

/** All that is known of a stranger's threads may be that they used a disk. */
function isStranger(data: TraceData, { process }: ProcessThreads, tracks: readonly Track[]) {
  const strangers = remember(data.summary, 'outside the job', () =>
    outsideJob(data.summary.processes),
  );
  return strangers[process] === true && tracks.every(({ table }) => table === 'block_io');
}

const strangersDraft = { id: 'outside', label: 'Outside the job', detail: '' } as const;

/** The strangers of one host. */
interface Strangers extends GroupDraft {
  readonly processes: Set<number>;
}

/** The training process, workers, pin-memory threads and other processes, each with its threads' tracks. */
export function processGroups(data: TraceData, names: TraceNames): TrackGroup[] {
  const drafts = new Map<string, GroupDraft>();
  const outside = new Map<string, Strangers>();
  const workerName = workerNames(data);
  for (const sharing of shareRows(data, processesByRole(data))) {
    const [entry] = sharing;
    const draft = draftOf(data, entry);
    const name =
      entry.role === 'dataloader-worker'
        ? workerName(entry.process)
        : drivesGpu(entry.role) || entry.role === 'launcher'
          ? undefined
          : processName(data, entry.process);
    const label = name === undefined ? undefined : { name, pids: pidsText(data, sharing) };
    const tracks = rowsOf(data, names, sharing, label);
    if (tracks.length === 0) continue;
    if (isStranger(data, entry, tracks)) {
      const own = atHost(data, entry.process, strangersDraft);
      const strangers = outside.get(own.id) ?? { ...own, tracks: [], processes: new Set() };
      outside.set(own.id, strangers);
      strangers.processes.add(entry.process);
      strangers.tracks.push(...tracks);
      continue;
    }
    const group = drafts.get(draft.id) ?? { ...draft, tracks: [] };
    drafts.set(draft.id, group);
    group.tracks.push(...tracks);
  }
  const groups = [...drafts.values(), ...[...outside.values()].map(strangersGroup)];
  return groups.map((group) => ({ ...group, foldsTracks: true }));
}

function strangersGroup({ processes, detail, ...group }: Strangers): TrackGroup {
  const count = `${plural(processes.size, 'process', 'processes')} with block I/O`;
  return {
    ...group,
    detail: [detail, count].filter(Boolean).join(' · '),
    startsCollapsed: true,
  };
}
