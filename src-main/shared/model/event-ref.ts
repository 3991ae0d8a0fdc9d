import type { TableName } from './schema.ts';

/** A row of a table. */
export interface EventRef {
  readonly table: TableName;
  readonly row: number;
}

/** The events behind a figure. */
export interface EventRefs {
  /** The longest or most telling ones, few enough for a list. */
  readonly shown: readonly EventRef[];
  /** How many there are in all. */
  readonly count: number;
}

/** No event is behind a figure of what was not recorded. */
export const noEvents: EventRefs = { shown: [], count: 0 };
