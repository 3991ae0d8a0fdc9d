import type { Api } from '../../../src-main/contract/api.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';

/** Rows that were looked at and are kept: enough to go back and forth between. */
const MOST_KEPT = 64;

const keyOf = ({ table, row }: EventRef) => `${table} ${row}`;

interface Asked {
  readonly traceId: string;
  readonly event: EventRef;
}

/** Who looks at a row: a pointer passes many, and the selected one stays. */
type Place = 'pointed' | 'selected';

/**
 * What is told of single rows of the open trace: the page has what is drawn of them; all else is asked for when somebody
 * looks at a row. One question at a time: of those asked meanwhile the selected row counts, and the
 * last that a pointer was on.
 */
export class RowLookup {
  readonly #api: Api;
  #traceId: string | undefined;
  /** `null`: it can't be had. */
  #kept = $state.raw<ReadonlyMap<string, RowFacts | null>>(new Map());
  #selected: string | undefined;
  readonly #waiting = new Map<Place, Asked>();
  #asking: Asked | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Undefined while it is not here, and where it can't be had. */
  of(event: EventRef): RowFacts | undefined {
    return this.#kept.get(keyOf(event)) ?? undefined;
  }

  /** Whether nothing more of it will come: its row is here, or can't be had. */
  isSettled(event: EventRef): boolean {
    return this.#kept.has(keyOf(event));
  }

  hasFailed(event: EventRef): boolean {
    return this.#kept.get(keyOf(event)) === null;
  }

  /** Rows of another trace are forgotten. */
  async ask(traceId: string, event: EventRef, place: Place = 'pointed'): Promise<void> {
    if (traceId !== this.#traceId) this.#kept = new Map();
    this.#traceId = traceId;
    if (place === 'selected') this.#selected = keyOf(event);
    if (this.#kept.has(keyOf(event)) || this.#isAsking(traceId, event)) return;
    this.#waiting.set(place, { traceId, event });
    if (this.#asking !== undefined) return;
    for (let asked = this.#taken(); asked !== undefined; asked = this.#taken()) {
      const { traceId: asks, event } = asked;
      this.#asking = asked;
      const told = await this.#api.call('trace.row', { traceId: asks, ...event });
      if (asks === this.#traceId) this.#keep(event, told.ok ? told.value : null);
    }
    this.#asking = undefined;
  }

  #isAsking(traceId: string, event: EventRef): boolean {
    return this.#asking?.traceId === traceId && keyOf(this.#asking.event) === keyOf(event);
  }

  #taken(): Asked | undefined {
    for (const place of ['selected', 'pointed'] as const) {
      const asked = this.#waiting.get(place);
      this.#waiting.delete(place);
      if (asked !== undefined) return asked;
    }
    return undefined;
  }

  #keep(event: EventRef, facts: RowFacts | null): void {
    const selected = [...this.#kept].filter(([key]) => key === this.#selected);
    const others = [...this.#kept].filter(([key]) => key !== this.#selected);
    const newest = others.slice(1 + selected.length - MOST_KEPT);
    this.#kept = new Map([...selected, ...newest, [keyOf(event), facts]]);
  }
}
