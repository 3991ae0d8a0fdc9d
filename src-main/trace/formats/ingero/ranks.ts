import type { DatabaseSync } from 'node:sqlite';
import type { ProcessInfo } from '../../../shared/model/trace.ts';
import { columnNames, integer, type Row, readRows } from '../../sqlite/read-table.ts';
import { type Nodes, nodeColumn } from './nodes.ts';

/** Which part of a distributed job a process is: what its environment said. */
export type Rank = Pick<ProcessInfo, 'rank' | 'localRank' | 'worldSize'>;

const columnsOf = { rank: 'rank', localRank: 'local_rank', worldSize: 'world_size' } as const;
const MAX_RANK = 2 ** 31 - 1;

/**
 * The ranks of processes by machine and number, which events carry since 0.9.1. What the events of one process
 * do not agree on is not known: its number was given to another one, or it began another program.
 */
export function readRanks(
  database: DatabaseSync,
  nodes: Nodes | undefined,
): (node: number) => ReadonlyMap<number, Rank> {
  const byNode = new Map<number, Map<number, Rank>>();
  const columns = columnNames(database, 'events');
  if (Object.values(columnsOf).every((column) => columns.has(column)))
    for (const [pid, node, ...cells] of readRows(database, rankQuery(columns, nodes))) {
      const number = integer(pid);
      if (number === undefined) continue;
      const index = nodes?.indexOf(node) ?? 0;
      const ranks = byNode.get(index) ?? new Map<number, Rank>();
      byNode.set(index, ranks.set(number, rankOf(cells)));
    }
  return (node) => byNode.get(node) ?? new Map();
}

function rankQuery(columns: ReadonlySet<string>, nodes: Nodes | undefined): string {
  const limits = Object.values(columnsOf).map((column) => `min(${column}), max(${column})`);
  const node = nodes === undefined ? "''" : nodeColumn(columns);
  return `SELECT pid, ${node} AS node, ${limits.join(', ')} FROM events
    WHERE typeof(rank) = 'integer' GROUP BY pid, 2 LIMIT 1000000`;
}

function rankOf(cells: Row): Rank {
  const known = Object.keys(columnsOf).flatMap((key, at) => {
    const least = integer(cells[2 * at]);
    const most = integer(cells[2 * at + 1]);
    const isOne = least !== undefined && least === most && least >= 0 && least <= MAX_RANK;
    return isOne ? [[key, least]] : [];
  });
  return Object.fromEntries(known);
}
