import type { EventRef, EventRefs } from '../../shared/event-ref.ts';
import type { TableName } from '../../shared/model/schema.ts';

/** How many events of a figure are listed. */
const SHOWN = 10;

/** The events of one table behind a figure, weighed by the ns they contribute. */
export class EventList {
  private readonly weights = new Map<number, number>();
  private readonly table: TableName;

  constructor(table: TableName) {
    this.table = table;
  }

  add(row: number, ns: number): void {
    this.weights.set(row, (this.weights.get(row) ?? 0) + ns);
  }

  /** The row that contributes most; -1 = none. */
  get heaviest(): number {
    let [found, most] = [-1, -1];
    for (const [row, ns] of this.weights) if (ns > most) [found, most] = [row, ns];
    return found;
  }

  refs(): EventRefs {
    const { table } = this;
    const longest = [...this.weights].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
    const shown = longest.map(([row]): EventRef => ({ table, row }));
    return { shown, count: this.weights.size };
  }
}

/** No event is behind a figure of what was not recorded. */
export const noEvents: EventRefs = { shown: [], count: 0 };
