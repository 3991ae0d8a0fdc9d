import type { Api } from '../../../src-main/contract/api.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import { isLoadedInPart } from './table-loading.ts';

/** Rows that were looked at and are kept: enough to go back and forth between. */
const MOST_KEPT = 64;

const keyOf = ({ table, row }: EventRef) => `${table} ${row}`;

/**
 * What is told of single rows of the open trace. The page has only the columns that every row is drawn by; all else is
 * asked for when somebody looks at a row. One question at a time: of those asked meanwhile the last counts.
 */
export class RowLookup {
  readonly #api: Api;
  #traceId: string | undefined;
  #kept = $state.raw<ReadonlyMap<string, RowFacts>>(new Map());
  #next: { readonly traceId: string; readonly event: EventRef } | undefined;
  #asking: { readonly traceId: string; readonly event: EventRef } | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Undefined while it is not here. */
  of(event: EventRef): RowFacts | undefined {
    return this.#kept.get(keyOf(event));
  }

  /** Rows of another trace are forgotten. What can't be had is left out: the rest of the event is told. */
  async ask(traceId: string, event: EventRef): Promise<void> {
    if (!isLoadedInPart(event.table)) return;
    if (traceId !== this.#traceId) this.#kept = new Map();
    this.#traceId = traceId;
    if (this.#kept.has(keyOf(event)) || this.#isAsking(traceId, event)) return;
    this.#next = { traceId, event };
    if (this.#asking !== undefined) return;
    for (let asked = this.#taken(); asked !== undefined; asked = this.#taken()) {
      const { traceId: asks, event } = asked;
      this.#asking = asked;
      const told = await this.#api.call('trace.row', { traceId: asks, ...event });
      if (told.ok && asks === this.#traceId) this.#keep(event, told.value);
    }
    this.#asking = undefined;
  }

  #isAsking(traceId: string, event: EventRef): boolean {
    return this.#asking?.traceId === traceId && keyOf(this.#asking.event) === keyOf(event);
  }

  #taken() {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  #keep(event: EventRef, facts: RowFacts): void {
    const newest = [...this.#kept].slice(1 - MOST_KEPT);
    this.#kept = new Map([...newest, [keyOf(event), facts]]);
  }
}
