import type { DatabaseSync } from 'node:sqlite';
import { columnNames, type Row, readRows, text, textColumn } from '../../sqlite/read-table.ts';

/** Machines that are told apart. */
export const MAX_NODES = 256;

/** Cells whose machine is remembered. */
const MAX_CELLS = 4 * MAX_NODES;

/**
 * The machines on which events of a file happened, as its column `node` says (0.9.1 and later; a file of
 * several comes from `ingero merge`). A file that names one machine is of that one, also in rows that name
 * none: they are from before the column.
 */
export interface Nodes {
  /** In the order of their names. */
  readonly names: readonly string[];
  /** How many the file names: more than are told apart, or fewer than two. */
  readonly named: number;
  /** Where a row of this `node` cell belongs: that of no name, or of one too many, after all others. */
  indexOf(cell: Row[number] | undefined): number;
}

/** undefined where the file is of one machine. */
export function readNodes(database: DatabaseSync): Nodes | undefined {
  const columns = columnNames(database, 'events');
  if (!columns.has('node')) return undefined;
  // Most files are of one machine: that is found out in one look at each row, and nothing kept.
  const isNamed = "node <> '' AND typeof(node) = 'text'";
  const first = `SELECT node FROM events WHERE ${isNamed} LIMIT 1`;
  const other = `SELECT 1 FROM events WHERE node <> (${first}) AND ${isNamed} LIMIT 1`;
  if (database.prepare(other).get() === undefined) return undefined;
  const cell = nodeColumn(columns);
  const distinct = `SELECT DISTINCT ${cell} AS node FROM events WHERE ${isNamed}`;
  const named = `SELECT ${cell} AS node, count(*) AS events FROM events WHERE ${isNamed} GROUP BY 1`;
  const names = new Set<string>();
  for (const [node] of readRows(database, `${named} ORDER BY events DESC, node LIMIT ${MAX_NODES}`))
    if (nodeName(node) !== '') names.add(nodeName(node));
  const all = database.prepare(`SELECT count(*) AS n FROM (${distinct})`).get()?.n;
  return nodesOf([...names].sort(byName), Number(all ?? names.size));
}

const byName = new Intl.Collator('en', { numeric: true }).compare;

function nodesOf(names: readonly string[], named: number): Nodes | undefined {
  // Names that differ in what nobody sees are one.
  if (names.length < 2) return undefined;
  const indexes = new Map(names.map((name, index) => [name, index]));
  const cells = new Map<Row[number] | undefined, number>();
  return {
    names,
    named,
    indexOf(cell) {
      const known = cells.get(cell);
      if (known !== undefined) return known;
      const index = indexes.get(nodeName(cell)) ?? names.length;
      // Millions of rows have one of a few names; a file with millions of names needs no more memory.
      if (cells.size < MAX_CELLS) cells.set(cell, index);
      return index;
    },
  };
}

/** SQL for the name of a row's machine. */
export function nodeColumn(columns: ReadonlySet<string>): string {
  return textColumn(columns, 'node');
}

function nodeName(cell: Row[number] | undefined): string {
  return text(cell).trim();
}
