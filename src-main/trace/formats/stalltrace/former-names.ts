/** What version 0 called tables that have other names since. */
const inVersion0: Readonly<Record<string, string>> = { range: 'annotation' };

const today = new Map(Object.entries(inVersion0).map(([name, former]) => [former, name]));

/** What `table` was called in an earlier version, where that was another name. */
export function formerName(table: string): string | undefined {
  return Object.hasOwn(inVersion0, table) ? inVersion0[table] : undefined;
}

/** What a table that a file calls `table` is called today. */
export function nameToday(table: string): string {
  return today.get(table) ?? table;
}
