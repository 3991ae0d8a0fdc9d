/** What one row of a table holds, by column: as in its columns, so below 0 is not known. */
export type RowValues = Readonly<Record<string, number>>;
