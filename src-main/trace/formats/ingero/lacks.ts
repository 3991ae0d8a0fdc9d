import { type TableName, tableNames } from '../../../shared/model/schema.ts';
import type { Provenance, Table, Tables, Trace } from '../../../shared/model/trace.ts';
import { plural } from '../../../shared/text/units.ts';
import { tableWords } from '../../../shared/words/table-words.ts';
import type { MergeInput } from '../../merge/merge-input.ts';

/** How many events of a table are counted, of which nobody knows on which machine they happened. */
export type LeftOut = ReadonlyMap<TableName, number>;

const SWITCHES = ['switch', 'switches'] as const;
const NOT_KNOWN = 'Left out: which machine they belong to is not known.';
const UNNAMED = 'The file names no machine for them.';
const OTHERS = 'The file has those of other machines only.';

/**
 * `inputs` of one file, each with the reason why it lacks a table: that a machine has nothing of a kind
 * does not mean that the file has none.
 */
export function withReasons(inputs: readonly MergeInput[], leftOut: LeftOut): MergeInput[] {
  const isAbsent = (trace: Trace, table: TableName) =>
    trace.tables[table].provenance.kind === 'absent';
  const lacking = (table: TableName): string | undefined => {
    if (leftOut.has(table)) return NOT_KNOWN;
    const having = inputs.filter(({ trace }) => !isAbsent(trace, table));
    if (having.length === 0) return undefined;
    return having.every(({ isRest }) => isRest) ? UNNAMED : OTHERS;
  };
  const reasons = new Map(tableNames.map((table) => [table, lacking(table)]));
  return inputs.map((input) => ({
    ...input,
    trace: changed(input.trace, (table, { provenance }) => {
      const note = reasons.get(table);
      return provenance.kind === 'absent' && note !== undefined
        ? { ...provenance, note }
        : provenance;
    }),
  }));
}

/** `trace`, of all machines, with how many events of each table are left out. */
export function withLeftOut(trace: Trace, leftOut: LeftOut): Trace {
  return changed(trace, (table, { provenance }) => {
    const count = leftOut.get(table);
    if (count === undefined) return provenance;
    const told = `${leftOutWords(table, count)} of processes whose number several machines have.`;
    return { ...provenance, note: `${provenance.note} ${told}`.trim() };
  });
}

function leftOutWords(table: TableName, count: number): string {
  if (table === 'aggregate') return `${plural(count, 'sum is', 'sums are')} left out:`;
  return `The sums that are left out count ${plural(count, ...wordsOf(table))}`;
}

const wordsOf = (table: TableName) => (table === 'off_cpu' ? SWITCHES : tableWords[table]);

function changed(
  trace: Trace,
  provenanceOf: (table: TableName, of: Table<TableName>) => Provenance,
): Trace {
  const tables = Object.fromEntries(
    tableNames.map((name) => {
      const table = trace.tables[name];
      return [name, { ...table, provenance: provenanceOf(name, table) }];
    }),
  ) as unknown as Tables;
  return { ...trace, tables };
}
