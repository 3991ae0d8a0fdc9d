import type { EventRef, EventRefs } from '../../shared/model/event-ref.ts';
import type { TableName } from '../../shared/model/schema.ts';

/** How many events of a figure are listed. */
const SHOWN = 10;

/** The events of one table behind a figure, weighed by the ns they contribute. */
export class EventList {
  private readonly rows: number[] = [];
  private readonly weights: number[] = [];
  private ascending = true;
  private readonly table: TableName;

  constructor(table: TableName) {
    this.table = table;
  }

  /** Rows usually come in order of time; one that comes again adds to its weight. */
  add(row: number, ns: number): void {
    const last = this.rows.length - 1;
    if (last >= 0 && this.rows[last] === row) {
      this.weights[last] += ns;
      return;
    }
    if (last >= 0 && row < this.rows[last]) this.ascending = false;
    this.rows.push(row);
    this.weights.push(ns);
  }

  refs(): EventRefs {
    const { table } = this;
    const [rows, weights] = this.ascending ? [this.rows, this.weights] : this.merged();
    const shown = heaviestOf(weights).map((at): EventRef => ({ table, row: rows[at] }));
    return { shown, count: rows.length };
  }

  private merged(): [rows: number[], weights: number[]] {
    const sums = new Map<number, number>();
    this.rows.forEach((row, at) => {
      sums.set(row, (sums.get(row) ?? 0) + this.weights[at]);
    });
    return [[...sums.keys()], [...sums.values()]];
  }
}

/** Places of the largest weights, largest first. */
function heaviestOf(weights: readonly number[]): number[] {
  const places: number[] = [];
  for (let at = 0; at < weights.length; at++) {
    const least = places.at(-1);
    if (places.length === SHOWN && least !== undefined && weights[at] <= weights[least]) continue;
    let place = places.length;
    while (place > 0 && weights[places[place - 1]] < weights[at]) place--;
    places.splice(place, 0, at);
    if (places.length > SHOWN) places.pop();
  }
  return places;
}
