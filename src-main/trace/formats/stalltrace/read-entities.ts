import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import {
  type Host,
  type OnHost,
  type ProcessInfo,
  type Role,
  roles,
  type ThreadInfo,
} from '../../../shared/model/trace.ts';
import { IdMap } from '../../build/id-map.ts';
import { type Cell, countCell, numberCell, textCell } from './cells.ts';
import { type EntityRow, readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';

const COMMAND_LINE_LENGTH = 4096;

/** Things of one kind, with the ids rows know them by. */
export interface Entities<Value> {
  readonly values: Value[];
  readonly ids: IdMap;
  /** Rows without a usable id. */
  readonly skipped: number;
}

/** Reads a table of things into id order; `build` gives `undefined` for a row it can't use. */
export function collectEntities<Row extends { readonly id: Cell }, Value>(
  rows: Iterable<Row>,
  build: (row: Row) => Value | undefined,
): Entities<Value> {
  const found: { id: number; value: Value }[] = [];
  let skipped = 0;
  for (const row of rows) {
    const id = countCell(row.id);
    const value = id === undefined ? undefined : build(row);
    if (id === undefined || value === undefined) skipped++;
    else found.push({ id, value });
  }
  found.sort((left, right) => left.id - right.id);
  return {
    values: found.map(({ value }) => value),
    ids: IdMap.of(found.map(({ id }) => id)),
    skipped,
  };
}

function roleCell(cell: Cell): Role {
  return roles.find((role) => role === cell) ?? 'other';
}

type Placement = Pick<
  ProcessInfo,
  'cgroup' | 'cpusAllowed' | 'cpuQuota' | 'rank' | 'localRank' | 'worldSize'
>;

/** Where a process may run and which part of a distributed job it is: what of it is known. */
function placement(row: EntityRow<'process'>): Placement {
  const quota = numberCell(row.cpu_quota);
  return known({
    cgroup: textCell(row.cgroup),
    cpusAllowed: textCell(row.cpus_allowed),
    cpuQuota: quota !== undefined && quota > 0 ? quota : undefined,
    rank: countCell(row.rank),
    localRank: countCell(row.local_rank),
    worldSize: countCell(row.world_size),
  });
}

function lifetime(row: { start_ns: Cell; end_ns: Cell }): { startNs?: number; endNs?: number } {
  return known({ startNs: countCell(row.start_ns), endNs: countCell(row.end_ns) });
}

/** Cuts the parent of every process that would be its own ancestor. */
function withoutCycles(processes: ProcessInfo[]): ProcessInfo[] {
  const checked = new Uint32Array(processes.length);
  return processes.map((process, index) => {
    const walk = index + 1;
    checked[index] = walk;
    for (let parent = process.parent; parent !== NONE; ) {
      if (checked[parent] === walk) return { ...process, parent: NONE };
      // An earlier walk came this way and ended.
      if (checked[parent] !== 0) break;
      checked[parent] = walk;
      parent = processes[parent]?.parent ?? NONE;
    }
    return process;
  });
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
export function hostReader({ values, ids }: Entities<Host>): (cell: Cell) => OnHost {
  let unknown = NONE;
  return (cell) => {
    const position = cell === null ? 0 : ids.positionOf(countCell(cell) ?? NONE);
    if (position === NONE && unknown === NONE) unknown = values.push({}) - 1;
    const host = position === NONE ? unknown : position;
    return host === 0 ? {} : { host };
  };
}

/** The processes of a file. */
export function readProcesses(
  database: DatabaseSync,
  schema: FileSchema,
  hostOf: (cell: Cell) => OnHost,
  jobs: IdMap,
): Entities<ProcessInfo> {
  const found = collectEntities(readEntityRows(database, schema, 'process'), (row) => {
    const commandLine = textCell(row.command_line, COMMAND_LINE_LENGTH);
    const { number, namespaced, inside } = numbersOf(row.pid, row.namespace_pid);
    const job = jobs.positionOf(countCell(row.job_id) ?? NONE);
    return {
      ...hostOf(row.host_id),
      pid: number,
      ...known({ namespaced, namespacePid: inside, job: job === NONE ? undefined : job }),
      name: textCell(row.name) ?? '(not known)',
      ...(commandLine === undefined ? {} : { commandLine }),
      parent: countCell(row.parent_id) ?? NONE,
      role: roleCell(row.role),
      roleBasis: textCell(row.role_basis) ?? '',
      ...lifetime(row),
      ...placement(row),
    };
  });
  const processes = found.values.map((process) => ({
    ...process,
    parent: process.parent === NONE ? NONE : found.ids.positionOf(process.parent),
  }));
  return { ...found, values: withoutCycles(processes) };
}

const unknownProcess: ProcessInfo = {
  pid: 0,
  name: '(not known)',
  parent: NONE,
  role: 'other',
  roleBasis: 'the file does not say which process these threads belong to',
};

/** The threads of a file; those of a process nobody wrote down get one that says so. */
export function readThreads(
  database: DatabaseSync,
  schema: FileSchema,
  processes: Entities<ProcessInfo>,
): Entities<ThreadInfo> {
  let unknown = NONE;
  const processOf = (cell: Cell) => {
    const position = processes.ids.positionOf(countCell(cell) ?? NONE);
    if (position !== NONE) return position;
    if (unknown === NONE) unknown = processes.values.push(unknownProcess) - 1;
    return unknown;
  };
  return collectEntities(readEntityRows(database, schema, 'thread'), (row) => {
    const { number, namespaced, inside } = numbersOf(row.tid, row.namespace_tid);
    return {
      tid: number,
      ...known({ namespaced, namespaceTid: inside }),
      process: processOf(row.process_id),
      name: textCell(row.name) ?? '(not known)',
      role: roleCell(row.role),
      ...lifetime(row),
    };
  });
}
