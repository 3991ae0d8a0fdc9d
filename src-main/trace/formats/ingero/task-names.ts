import type { DatabaseSync } from 'node:sqlite';
import { columnNames, integer, readRows, text, textColumn } from '../../sqlite/read-table.ts';
import { type Nodes, nodeColumn } from './nodes.ts';
import { SEVERAL, type SeenOn } from './seen-on.ts';

/** What the processes and threads are called, by machine and number. */
export interface TaskNames {
  of(node: number): ReadonlyMap<number, string>;
  /** Numbers that several machines have, and one name for them: nobody knows on which. */
  readonly unclear: number;
}

/** Of several sources the first that knows wins; `nodes` is undefined where the file is of one machine. */
export function readTaskNames(
  database: DatabaseSync,
  nodes: Nodes | undefined,
  seenOn: SeenOn,
): TaskNames {
  const byNode = Array.from({ length: (nodes?.names.length ?? 0) + 1 }, () => new Map());
  const unclear = new Set<number>();
  const add = (node: number, id: unknown, cell: unknown) => {
    const number = integer(id as never);
    const name = text(cell as never, 256);
    if (number === undefined || name === '') return;
    if (node === SEVERAL) unclear.add(number);
    else if (byNode[node]?.has(number) === false) byNode[node].set(number, name);
  };
  const addComms = (sql: string) => {
    for (const [id, node, comm] of readRows(database, sql))
      add(nodes?.indexOf(node) ?? 0, id, comm);
  };
  const comms = commQueries(database, nodes);
  if (comms !== undefined) addComms(comms.ofPrograms);
  const columns = columnNames(database, 'process_names');
  const isNodeTold = nodes !== undefined && columns.has('node');
  if (columns.has('pid') && columns.has('name')) {
    const name = textColumn(columns, 'name', 257);
    const sql = `SELECT pid, ${name}, ${nodeColumn(columns)} FROM process_names LIMIT 1000000`;
    for (const [id, cell, node] of readRows(database, sql))
      add(isNodeTold ? nodes.indexOf(node) : seenOn(integer(id) ?? -1), id, cell);
  }
  for (const sql of comms?.ofTasks ?? []) addComms(sql);
  const isNamed = (number: number) => byNode.some((names) => names.has(number));
  return {
    of: (node) => byNode[node] ?? new Map(),
    unclear: [...unclear].filter((number) => !isNamed(number)).length,
  };
}

/**
 * Since 0.10 events carry the name of the task that ran, by thread number. Of `sched_switch` that can
 * be the task before, of a wake-up or a disk's answer anyone: their names are not asked.
 */
function commQueries(database: DatabaseSync, nodes: Nodes | undefined) {
  const columns = columnNames(database, 'events');
  if (!columns.has('comm')) return undefined;
  const comm = textColumn(columns, 'comm', 257);
  const of = (choose: string, where: string) => {
    const filter = `FROM events WHERE ${where} AND comm <> ''`;
    return nodes === undefined
      ? `SELECT tid, '', ${choose} ${filter} GROUP BY tid LIMIT 1000000`
      : `SELECT tid, ${nodeColumn(columns)} AS node, ${choose} ${filter} GROUP BY tid, 2 LIMIT 1000000`;
  };
  return {
    /** What began last under a number: its name may have been read while it was still its parent's. */
    ofPrograms: of(`${comm}, max(timestamp)`, 'source = 3 AND op = 5 AND pid = tid'),
    ofTasks: [
      of(`max(${comm})`, 'source IN (1, 4, 8)'),
      of(`max(${comm})`, '(source = 7 OR (source = 3 AND op IN (3, 6)))'),
    ],
  };
}
