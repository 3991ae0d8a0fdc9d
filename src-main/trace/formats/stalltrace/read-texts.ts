import type { DatabaseSync } from 'node:sqlite';
import { LOST_SOURCE } from '../../../shared/model/lost-table.ts';
import { IdMap } from '../../build/id-map.ts';
import type { NameBuilder } from '../../build/names.ts';
import { countCell, textCell } from './cells.ts';
import { readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { tableToday } from './version-0.ts';

interface Name {
  readonly source: string;
  readonly text: string;
}

/** Of a name that stands for a table, the one the table has today. */
function buildName(source: string, text: string, version: number): Name {
  return { source, text: source === LOST_SOURCE ? tableToday(version, text) : text };
}

/** Gives the names of a file to `names`, in the order of their ids. */
export function readNames(
  database: DatabaseSync,
  schema: FileSchema,
  names: NameBuilder,
): { readonly ids: IdMap; readonly skipped: number } {
  const found: { id: number; name: Name }[] = [];
  let skipped = 0;
  for (const row of readEntityRows(database, schema, 'name')) {
    const id = countCell(row.id);
    const text = textCell(row.text);
    if (id === undefined || text === undefined) skipped++;
    else found.push({ id, name: buildName(textCell(row.source) ?? '', text, schema.version) });
  }
  found.sort((left, right) => left.id - right.id);
  const ids = new IdMap();
  for (const { id, name } of found) ids.set(id, names.add(name.text, name.source));
  return { ids, skipped };
}
