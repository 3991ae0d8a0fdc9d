import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { RawAggregate } from './aggregates.ts';
import { HOST_OP, SOURCE } from './op-codes.ts';
import type { Rank } from './ranks.ts';
import type { RawEvents } from './raw-events.ts';
import { isThreadName } from './thread-names.ts';

/** What the file says of a process or thread by its number. */
interface KnownTasks {
  readonly nameOf: NameOf;
  rankOf(pid: number): Rank | undefined;
}

interface Fork {
  readonly parentPid: number;
  readonly startNs: number;
}

interface Evidence {
  /** Numbers seen as the process of an event. */
  readonly pids: Set<number>;
  /** Process of each thread, by thread number. */
  readonly owners: Map<number, number>;
  /** Numbers seen in sums per process. */
  readonly summedPids: Set<number>;
  /** Numbers of which only the existence is known. */
  readonly others: Set<number>;
  readonly forks: Map<number, Fork>;
  /** Time of the exit by thread number, ns. */
  readonly exits: Map<number, number>;
}

const MAX_ID = 2 ** 31 - 1;
const isId = (value: number) => Number.isInteger(value) && value >= 0 && value <= MAX_ID;
/** What PyTorch calls the process of a DataLoader worker; the worker's threads inherit the name. */
const WORKER_NAME = 'pt_data_worker';

/**
 * Adds processes and threads, worked out: Ingero writes no list of them. Host events of the scheduler
 * name threads only, `process_fork` reports new threads as well, `process_names` holds both.
 *
 * 1. CUDA, exit, fork, page, I/O and socket events carry process and thread: certain.
 * 2. Sums per process (all but those of sched_switch) make their number a process.
 * 3. A forked number with a name of its own, which is no thread's, is a process: it runs another
 *    program than its forker, as a compiler does.
 * 4. A forked number with no such evidence is a thread of its forker: a forked process would have
 *    allocated pages, which Ingero counts per process, and a job clones more threads than processes.
 * 5. What is left is taken as a process of its own.
 *
 * Their ids are their numbers. Events may come in any order; times are those of `events`.
 */
export function addTasks(
  { processes, threads }: TraceBuilder,
  events: RawEvents,
  aggregates: readonly RawAggregate[],
  { nameOf, rankOf }: KnownTasks,
): void {
  const evidence = gatherEvidence(events, aggregates);
  const owners = settleOwners(evidence, nameOf);
  for (const pid of [...new Set(owners.values())].sort((a, b) => a - b)) {
    const fork = evidence.forks.get(pid);
    const parent = fork === undefined ? NONE : (owners.get(fork.parentPid) ?? NONE);
    const name = nameOf(pid) ?? (pid === 0 ? 'idle' : 'unknown');
    const known = { ...lifetime(evidence, pid), ...rankOf(pid) };
    processes.add({ pid, name, parent, role: 'other', roleBasis: '', ...known }, pid);
  }
  for (const tid of [...owners.keys()].sort((a, b) => a - b)) {
    const process = processes.positionOf(owners.get(tid) ?? tid);
    const name = nameOf(tid) ?? processes.values[process]?.name ?? 'unknown';
    threads.add({ tid, process, name, role: 'other', ...lifetime(evidence, tid) }, tid);
  }
}

function lifetime(evidence: Evidence, id: number): { startNs?: number; endNs?: number } {
  const startNs = evidence.forks.get(id)?.startNs;
  const endNs = evidence.exits.get(id);
  // An exit before the fork belongs to an earlier bearer of the number.
  const ended = endNs !== undefined && (startNs === undefined || endNs >= startNs);
  return { ...(startNs === undefined ? {} : { startNs }), ...(ended ? { endNs } : {}) };
}

function gatherEvidence(events: RawEvents, aggregates: readonly RawAggregate[]): Evidence {
  const evidence: Evidence = {
    pids: new Set(),
    owners: new Map(),
    summedPids: new Set(),
    others: new Set(),
    forks: new Map(),
    exits: new Map(),
  };
  for (let row = 0; row < events.rows; row++) addEvent(evidence, events, row);
  for (const { source, op, pid } of aggregates) {
    const perThread = source === SOURCE.host && op === HOST_OP.schedSwitch;
    (perThread ? evidence.others : evidence.summedPids).add(pid);
  }
  return evidence;
}

function addEvent(evidence: Evidence, events: RawEvents, row: number): void {
  const pid = events.pid[row] as number;
  const tid = events.tid[row] as number;
  const arg1 = events.arg1[row] as number;
  const op = events.source[row] === SOURCE.host ? (events.op[row] as number) : 0;
  const startNs = events.startNs[row] as number;
  if (op === HOST_OP.schedSwitch || op === HOST_OP.switchSummary) {
    evidence.others.add(pid).add(tid);
    if (op === HOST_OP.schedSwitch && isId(arg1)) evidence.others.add(arg1);
    return;
  }
  if (op === HOST_OP.wakeup && pid === tid) evidence.others.add(tid);
  else {
    evidence.pids.add(pid);
    evidence.owners.set(tid, pid);
  }
  if ((op === HOST_OP.wakeup || op === HOST_OP.oomKill) && isId(arg1)) evidence.others.add(arg1);
  if (op === HOST_OP.exit) evidence.exits.set(tid, startNs);
  if (op === HOST_OP.fork && isId(arg1)) {
    evidence.others.add(arg1);
    evidence.forks.set(arg1, { parentPid: pid, startNs });
  }
}

type NameOf = (id: number) => string | undefined;

/** The process of every number ever seen. */
function settleOwners(evidence: Evidence, nameOf: NameOf): Map<number, number> {
  const { pids, owners, summedPids, others, forks } = evidence;
  const settled = new Map<number, number>();
  for (const [tid, pid] of owners) settled.set(tid, pids.has(tid) ? tid : pid);
  for (const pid of pids) settled.set(pid, pid);
  for (const pid of summedPids) if (!settled.has(pid)) settled.set(pid, pid);
  const startsWorkers = forkersOfWorkers(forks, nameOf);
  for (const id of others) {
    if (settled.has(id)) continue;
    const fork = forks.get(id);
    const isThread = fork !== undefined && !isNamedChild(id, fork, forks, startsWorkers, nameOf);
    settled.set(id, isThread ? fork.parentPid : id);
  }
  return settled;
}

/** Whether a forked number is called otherwise than its forker, as only a process would be. */
function isNamedChild(
  id: number,
  { parentPid }: Fork,
  forks: Evidence['forks'],
  startsWorkers: ReadonlySet<number>,
  nameOf: NameOf,
): boolean {
  const name = nameOf(id);
  if (name === undefined || name === nameOf(parentPid)) return false;
  if (name !== WORKER_NAME) return !isThreadName(name);
  // A worker whose own name was read before it took that one has threads that bear it.
  return !startsWorkers.has(forks.get(parentPid)?.parentPid ?? NONE);
}

function forkersOfWorkers(forks: Evidence['forks'], nameOf: NameOf): ReadonlySet<number> {
  const workers = [...forks].filter(([id]) => nameOf(id) === WORKER_NAME);
  return new Set(workers.map(([, { parentPid }]) => parentPid));
}
