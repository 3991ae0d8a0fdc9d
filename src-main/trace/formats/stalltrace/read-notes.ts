import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import type {
  Capability,
  Notice,
  SourceFinding,
  SourceFindingOccurrence,
} from '../../../shared/model/trace.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { writtenSeverity } from '../../../shared/words/severities.ts';
import { EntityList } from '../../build/entity-list.ts';
import { jsonArray } from '../../sqlite/read-table.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { countCell, numberCell, textCell } from './cells.ts';
import { readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { addEntities } from './read-entities.ts';

const MAX_NOTICES = 1000;
const MAX_CAPABILITIES = 100;
const MAX_LIST_LENGTH = 100;
const TEXT_LENGTH = 4096;

/** A JSON array of texts; anything else in it is left out. */
function textListCell(cell: Cell): string[] {
  return jsonArray(cell, MAX_LIST_LENGTH)
    .filter((item) => typeof item === 'string')
    .map((item) => cleanText(item));
}

const longText = (cell: Cell) => textCell(cell, TEXT_LENGTH) ?? '';

/** A field that the file may leave out. */
function given<K extends string, V>(key: K, value: V | undefined) {
  return value === undefined ? undefined : ({ [key]: value } as Record<K, V>);
}

type Found = SourceFinding & { readonly occurrences: SourceFindingOccurrence[] };

/** What another tool found, kept when its file was converted. */
export function readSourceFindings(database: DatabaseSync, schema: FileSchema): SourceFinding[] {
  const found = new EntityList<Found>();
  addEntities(found, readEntityRows(database, schema, 'source_finding'), (row) => ({
    foundBy: longText(row.found_by),
    ...given('node', textCell(row.node)),
    ops: textListCell(row.ops),
    causes: textListCell(row.causes),
    severity: writtenSeverity(row.severity),
    summary: longText(row.summary),
    explanation: longText(row.explanation),
    recommendations: textListCell(row.recommendations),
    occurrences: [],
  }));
  for (const row of readEntityRows(database, schema, 'source_finding_occurrence')) {
    const finding = found.values[found.positionOf(countCell(row.finding_id) ?? NONE)];
    finding?.occurrences.push({
      op: longText(row.op),
      detectedNs: countCell(row.detected_ns) ?? 0,
      severity: writtenSeverity(row.severity),
      p50Us: numberCell(row.p50_us) ?? 0,
      p99Us: numberCell(row.p99_us) ?? 0,
      ...given('ratio', numberCell(row.ratio)),
      detail: longText(row.detail),
    });
  }
  return found.values;
}

/** What the recorder wanted to use, and whether it could. */
export function readCapabilities(database: DatabaseSync, schema: FileSchema): Capability[] {
  const capabilities: Capability[] = [];
  for (const row of readEntityRows(database, schema, 'capability')) {
    if (capabilities.length === MAX_CAPABILITIES) break;
    const name = textCell(row.name);
    if (name === undefined) continue;
    capabilities.push({ name, available: row.available === 1, detail: longText(row.detail) });
  }
  return capabilities;
}

/** What the file's writer wants its reader to know. */
export function readNotices(database: DatabaseSync, schema: FileSchema): Notice[] {
  const notices: Notice[] = [];
  for (const row of readEntityRows(database, schema, 'notice')) {
    if (notices.length === MAX_NOTICES) break;
    const text = textCell(row.text, TEXT_LENGTH);
    if (text !== undefined)
      notices.push({ level: row.level === 'warning' ? 'warning' : 'info', text });
  }
  return notices;
}
