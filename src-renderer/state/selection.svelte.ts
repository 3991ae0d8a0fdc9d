import type { TableName } from '../../src-main/shared/model/schema.ts';

/** One event: a row of a table. */
export interface EventRef {
  readonly table: TableName;
  readonly row: number;
}

export interface TimeRange {
  readonly startNs: number;
  readonly endNs: number;
}

/** What the user points at: at most one event and at most one range, shared by every tab. */
export class Selection {
  #event = $state.raw<EventRef | undefined>();
  #range = $state.raw<TimeRange | undefined>();

  get event(): EventRef | undefined {
    return this.#event;
  }

  get range(): TimeRange | undefined {
    return this.#range;
  }

  selectEvent(event: EventRef | undefined): void {
    this.#event = event;
  }

  selectRange(range: TimeRange | undefined): void {
    this.#range = range;
  }
}
