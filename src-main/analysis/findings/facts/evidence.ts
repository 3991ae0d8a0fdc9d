import type { Basis } from '../../../shared/answers/basis.ts';
import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { type EventRefs, noEvents } from '../../../shared/model/event-ref.ts';
import type { TableName } from '../../../shared/model/schema.ts';
import type { CostCell } from './facts.ts';

/** As many events of a figure as a list shows. */
const SHOWN_AT_MOST = 50;

/** The first of `rows` for a list, and how many there are: put the most telling ones first. */
export function refsTo(table: TableName, rows: ArrayLike<number>, count = rows.length): EventRefs {
  const shown = Array.from({ length: Math.min(rows.length, SHOWN_AT_MOST) }, (_, at) => ({
    table,
    row: rows[at],
  }));
  return { shown, count };
}

/** The events of several figures as those of one: some of each. */
export function joinedRefs(all: readonly EventRefs[]): EventRefs {
  const filled = all.filter(({ count }) => count > 0);
  const each = Math.ceil(SHOWN_AT_MOST / Math.max(1, filled.length));
  return {
    shown: filled.flatMap(({ shown }) => shown.slice(0, each)).slice(0, SHOWN_AT_MOST),
    count: filled.reduce((sum, { count }) => sum + count, 0),
  };
}

export function evidence(text: string, basis: Basis, events: EventRefs = noEvents): Evidence {
  return { text, basis, events };
}

/** Wall time of the cells that `claims` picks, ns, and the events behind it. */
export function claimed(
  costs: readonly CostCell[],
  claims: (cell: CostCell) => boolean,
): { readonly ns: number; readonly isBound: boolean; readonly events: EventRefs } {
  const cells = costs.filter(claims);
  return {
    ns: cells.reduce((sum, { ns }) => sum + ns, 0),
    isBound: cells.some(({ isBound }) => isBound === true),
    events: joinedRefs(cells.map(({ events }) => events)),
  };
}

/** As `claimed`, of so much of each cell as `part` says, 0…1. */
export function partlyClaimed(
  costs: readonly CostCell[],
  claims: (cell: CostCell) => boolean,
  part: (cell: CostCell) => number,
) {
  const parts = costs.filter(claims).map((cell) => ({ ...cell, ns: cell.ns * part(cell) }));
  return claimed(parts, () => true);
}
