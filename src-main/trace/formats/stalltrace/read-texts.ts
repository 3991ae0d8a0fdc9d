import type { DatabaseSync } from 'node:sqlite';
import { LOST_SOURCE } from '../../../shared/model/lost-table.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { countCell, textCell } from './cells.ts';
import { readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { createIdMap, type IdMap } from './id-map.ts';
import { tableToday } from './version-0.ts';

const UNKNOWN_NAME = '(not known)';

interface Name {
  readonly source: string;
  readonly text: string;
}

/** The names of a file, and the position of the one that says "not known", made when needed. */
export interface Names {
  readonly texts: string[];
  readonly sources: string[];
  readonly ids: IdMap;
  readonly skipped: number;
  /** How many texts there are once `unknown` was asked for. */
  readonly mostTexts: number;
  unknown(): number;
}

/** Of a name that stands for a table, the one the table has today. */
function buildName(source: string, text: string, version: number): Name {
  return { source, text: source === LOST_SOURCE ? tableToday(version, text) : text };
}

/** The names of a file by id. */
export function readNames(database: DatabaseSync, schema: FileSchema): Names {
  const found: { id: number; name: Name }[] = [];
  let skipped = 0;
  for (const row of readEntityRows(database, schema, 'name')) {
    const id = countCell(row.id);
    const text = textCell(row.text);
    if (id === undefined || text === undefined) skipped++;
    else found.push({ id, name: buildName(textCell(row.source) ?? '', text, schema.version) });
  }
  found.sort((left, right) => left.id - right.id);
  const texts = found.map(({ name }) => name.text);
  const sources = found.map(({ name }) => name.source);
  let unknown = NONE;
  return {
    texts,
    sources,
    skipped,
    mostTexts: texts.length + 1,
    ids: createIdMap(found.map(({ id }) => id)),
    unknown() {
      if (unknown === NONE) {
        sources.push('');
        unknown = texts.push(UNKNOWN_NAME) - 1;
      }
      return unknown;
    },
  };
}
