/**
 * What version 0 called otherwise. It knew one machine, whose row has no id, and one clock, of which
 * it kept the readings only. Columns that it lacks read as "not known".
 */
const tables: Readonly<Record<string, string | undefined>> = {
  host: 'machine',
  clock: undefined,
  clock_reading: 'clock',
  range: 'annotation',
};

const today = new Map(Object.entries(tables).map(([name, former]) => [former, name]));

/** What a file of `version` calls a table; `undefined` where it can't have it. */
export function tableInVersion(version: number, table: string): string | undefined {
  return version === 0 && Object.hasOwn(tables, table) ? tables[table] : table;
}

/** What a table is called today that a file of `version` calls `table`. */
export function tableToday(version: number, table: string): string {
  return version === 0 ? (today.get(table) ?? table) : table;
}
