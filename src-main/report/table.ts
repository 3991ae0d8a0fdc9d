import { plural } from '../shared/text/units.ts';

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly number?: true;
}

/** A column of words, which stand left. */
export function text(title: string): Column {
  return { title };
}

/** A column of figures, which stand right. */
export function number(title: string): Column {
  return { title, number: true };
}

/** A GitHub table of escaped cells, cut to `limit` rows with a sentence that says so. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  limit = Infinity,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ number }) => (number === true ? '--:' : '---'))),
    ...rows.slice(0, limit).map(line),
  ];
  const more = rows.length - limit;
  return more > 0
    ? `${lines.join('\n')}\n\n${plural(more, 'more row', 'more rows')}.`
    : lines.join('\n');
}
