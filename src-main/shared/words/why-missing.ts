import type { TableName } from '../model/schema.ts';
import type { Provenance } from '../model/trace.ts';
import { endSentence, upperFirst } from '../text/text.ts';
import { tableWords } from './table-words.ts';

interface RecordedTable {
  readonly rows: number;
  readonly provenance: Provenance;
}

/**
 * Why `table` does not answer a question. The note of a table that was recorded says how, which is no
 * reason: where it is empty, nothing was seen, and where it is whole, `otherwise` is the reason.
 */
export function whyMissing(
  tables: { readonly [table in TableName]: RecordedTable },
  table: TableName,
  otherwise: string,
): string {
  const { rows, provenance } = tables[table];
  const { kind, note } = provenance;
  const wasRecorded = kind === 'exact' || kind === 'sampled' || kind === 'inferred';
  if (rows === 0 && wasRecorded)
    return `The recorder saw none: this trace has no ${tableWords[table][1]}.`;
  return kind === 'exact' ? otherwise : endSentence(asSentence(note) || otherwise);
}

/** A note begins as it stands in a table; unless it begins with a name, as `/proc`, it begins a sentence here. */
function asSentence(note: string): string {
  return /^[a-z]+ /.test(note) ? upperFirst(note) : note;
}
