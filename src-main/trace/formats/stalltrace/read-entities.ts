import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import {
  type Host,
  type OnHost,
  type ProcessInfo,
  type Role,
  roles,
  schedulingPolicies,
  type ThreadInfo,
} from '../../../shared/model/trace.ts';
import type { EntityList } from '../../build/entity-list.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { countCell, numberCell, textCell } from './cells.ts';
import { type EntityRow, readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';

const COMMAND_LINE_LENGTH = 4096;
const AGENT_NAME = 'stalltrace-agent';
/** Characters of a name that Linux keeps: TASK_COMM_LEN without the end. */
const COMM_LENGTH = 15;

/**
 * Gives `list` a table of things in the order of their ids; `build` gives `undefined` for a row it
 * can't use. The result is how many it couldn't.
 */
export function addEntities<Row extends { readonly id: Cell }, Value>(
  list: EntityList<Value>,
  rows: Iterable<Row>,
  build: (row: Row) => Value | undefined,
): number {
  const found: { id: number; value: Value }[] = [];
  let skipped = 0;
  for (const row of rows) {
    const id = countCell(row.id);
    const value = id === undefined ? undefined : build(row);
    if (id === undefined || value === undefined) skipped++;
    else found.push({ id, value });
  }
  found.sort((left, right) => left.id - right.id);
  for (const { id, value } of found) list.add(value, id);
  return skipped;
}

function roleCell(cell: Cell): Role {
  return roles.find((role) => role === cell) ?? 'other';
}

type Placement = Pick<
  ProcessInfo,
  | 'cgroup'
  | 'cpusAllowed'
  | 'groupCpus'
  | 'pinnedNodes'
  | 'cpuQuota'
  | 'rank'
  | 'localRank'
  | 'worldSize'
>;

/** Where a process may run and which part of a distributed job it is: what of it is known. */
function placement(row: EntityRow<'process'>): Placement {
  const quota = numberCell(row.cpu_quota);
  return known({
    cgroup: textCell(row.cgroup),
    cpusAllowed: textCell(row.cpus_allowed),
    groupCpus: textCell(row.group_cpus),
    pinnedNodes: textCell(row.pinned_nodes),
    cpuQuota: quota !== undefined && quota > 0 ? quota : undefined,
    rank: countCell(row.rank),
    localRank: countCell(row.local_rank),
    worldSize: countCell(row.world_size),
  });
}

function lifetime(row: { start_ns: Cell; end_ns: Cell }): { startNs?: number; endNs?: number } {
  return known({ startNs: countCell(row.start_ns), endNs: countCell(row.end_ns) });
}

/** The object without what is not known of it. */
export function known<T extends object>(facts: T): Known<T> {
  const entries = Object.entries(facts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Known<T>;
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

interface HostNumbers {
  readonly number: number;
  readonly namespaced?: true;
  /** The number inside the container, where it is another. */
  readonly inside?: number;
}

/** The number of a process or thread: its host's, else its container's. */
function numbersOf(hostCell: Cell, insideCell: Cell): HostNumbers {
  const number = countCell(hostCell);
  const inside = countCell(insideCell);
  if (number === undefined)
    return inside === undefined ? { number: 0 } : { number: inside, namespaced: true };
  return { number, ...(inside !== undefined && inside !== number && { inside }) };
}

/** Reads `host_id`: no host is the first, one that nobody explains a host of its own. */
export function hostReader(hosts: EntityList<Host>): (cell: Cell) => OnHost {
  let unknown = NONE;
  return (cell) => {
    const position = cell === null ? 0 : hosts.positionOf(countCell(cell) ?? NONE);
    if (position === NONE && unknown === NONE) unknown = hosts.add({});
    const host = position === NONE ? unknown : position;
    return host === 0 ? {} : { host };
  };
}

/** As recorded; that of the agent in full: Linux cuts names to 15 characters, and no other program has this begin. */
function programName(cell: Cell): string {
  const name = textCell(cell) ?? '(not known)';
  return name === AGENT_NAME.slice(0, COMM_LENGTH) ? AGENT_NAME : name;
}

/** The processes of a file. */
export function readProcesses(
  database: DatabaseSync,
  schema: FileSchema,
  { processes, jobs }: TraceBuilder,
  hostOf: (cell: Cell) => OnHost,
): number {
  return addEntities(processes, readEntityRows(database, schema, 'process'), (row) => {
    const commandLine = textCell(row.command_line, COMMAND_LINE_LENGTH);
    const { number, namespaced, inside } = numbersOf(row.pid, row.namespace_pid);
    const job = jobs.positionOf(countCell(row.job_id) ?? NONE);
    return {
      ...hostOf(row.host_id),
      pid: number,
      ...known({ namespaced, namespacePid: inside, job: job === NONE ? undefined : job }),
      name: programName(row.name),
      ...(commandLine === undefined ? {} : { commandLine }),
      parent: countCell(row.parent_id) ?? NONE,
      role: roleCell(row.role),
      roleBasis: textCell(row.role_basis) ?? '',
      ...lifetime(row),
      ...placement(row),
    };
  });
}

/** The threads of a file. */
export function readThreads(
  database: DatabaseSync,
  schema: FileSchema,
  { processes, threads }: TraceBuilder,
): number {
  return addEntities(threads, readEntityRows(database, schema, 'thread'), (row) => {
    const { number, namespaced, inside } = numbersOf(row.tid, row.namespace_tid);
    return {
      tid: number,
      ...known({ namespaced, namespaceTid: inside }),
      process: processes.positionOf(countCell(row.process_id) ?? NONE),
      name: programName(row.name),
      role: roleCell(row.role),
      ...lifetime(row),
      ...scheduling(row),
    };
  });
}

function scheduling(row: EntityRow<'thread'>): Pick<ThreadInfo, 'policy' | 'priority' | 'nice'> {
  const nice = numberCell(row.nice);
  const priority = countCell(row.priority);
  return known({
    policy: schedulingPolicies.find((policy) => policy === row.policy),
    priority: priority !== undefined && priority >= 1 && priority <= 99 ? priority : undefined,
    nice: nice !== undefined && nice >= -20 && nice <= 19 ? Math.trunc(nice) : undefined,
  });
}
