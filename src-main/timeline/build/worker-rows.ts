import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Role } from '../../shared/model/trace.ts';
import { eventColumns, rowsByKey } from '../model/event-source.ts';
import type { TraceData } from '../model/trace-data.ts';
import { lifeOf, threadTables } from './thread-tracks.ts';

/** Threads without a process in the trace share the process -1. */
export interface ProcessThreads {
  readonly process: number;
  readonly role: Role;
  readonly threads: readonly number[];
}

/** A process with rows of its own; or several that share rows, in order of time: none lived while another one did. */
export type Sharing = readonly [ProcessThreads, ...ProcessThreads[]];

/** The thread that a process began with, where the trace has it. */
export function mainThreadOf(
  { summary }: TraceData,
  { process, threads }: ProcessThreads,
): number | undefined {
  const pid = summary.processes[process]?.pid;
  return pid === undefined
    ? undefined
    : threads.find((thread) => summary.threads[thread]?.tid === pid);
}

/** From when to when something is drawn of a thread; undefined where nothing is. */
export function drawnSpan(data: TraceData, thread: number): TimeSpan | undefined {
  let fromNs = Number.POSITIVE_INFINITY;
  let toNs = Number.NEGATIVE_INFINITY;
  for (const table of threadTables) {
    const columns = eventColumns(data.tables, table);
    const rows = columns && rowsByKey(columns, 'thread', columns.thread).get(thread);
    const [first] = rows ?? [];
    const last = rows?.at(-1);
    if (columns === undefined || rows === undefined || first === undefined || last === undefined)
      continue;
    fromNs = Math.min(fromNs, columns.startNs[first]);
    toNs = Math.max(toNs, columns.startNs[last] + Math.max(0, columns.durationNs?.[last] ?? 0));
    if (table !== 'off_cpu') continue;
    // It is drawn as running before its first and after its last wait, too.
    const [bornNs, diedNs] = lifeOf(data, columns, rows, thread);
    const complete = data.summary.coverage[thread] ?? [];
    fromNs = Math.min(fromNs, Math.max(bornNs, complete[0]?.[0] ?? fromNs));
    toNs = Math.max(toNs, Math.min(diedNs, complete.at(-1)?.[1] ?? toNs));
  }
  return fromNs <= toNs ? [fromNs, toNs] : undefined;
}

/** Which worker a process is: of each epoch one has the same number. Undefined where that is not known, or it is no worker. */
function workerKey({ summary }: TraceData, { process, role }: ProcessThreads): string | undefined {
  const { worker, parent, rank, host = 0 } = summary.processes[process] ?? {};
  return role === 'dataloader-worker' && worker !== undefined
    ? `${host} ${parent} ${rank} ${worker}`
    : undefined;
}

interface Draft {
  readonly members: [ProcessThreads, ...ProcessThreads[]];
  toNs: number;
}

/** The processes of one worker, in as few rows as they take: those that lived at once have rows of their own. */
function share(data: TraceData, processes: readonly ProcessThreads[]): Sharing[] {
  const timed = processes.map((entry) => {
    const thread = mainThreadOf(data, entry);
    const span = thread === undefined ? undefined : drawnSpan(data, thread);
    return { entry, fromNs: span?.[0] ?? Number.NEGATIVE_INFINITY, toNs: span?.[1] ?? Infinity };
  });
  const drafts: Draft[] = [];
  for (const { entry, fromNs, toNs } of timed.sort((a, b) => a.fromNs - b.fromNs)) {
    const free = drafts.find((draft) => draft.toNs <= fromNs);
    if (free === undefined) drafts.push({ members: [entry], toNs });
    else {
      free.members.push(entry);
      free.toNs = toNs;
    }
  }
  return drafts.map(({ members }) => members);
}

/** Who has rows, in the order of `processes`: a worker’s processes of one epoch after the other share theirs. */
export function shareRows(data: TraceData, processes: readonly ProcessThreads[]): Sharing[] {
  const keys = new Map(processes.map((entry) => [entry, workerKey(data, entry)] as const));
  const byKey = Map.groupBy(processes, (entry) => keys.get(entry));
  return processes.flatMap((entry): Sharing[] => {
    const key = keys.get(entry);
    const all = key === undefined ? undefined : byKey.get(key);
    if (all === undefined || all.length === 1) return [[entry]];
    return all[0] === entry ? share(data, all) : [];
  });
}
