import { type ExportTables, textOf, within } from './export-tables.ts';

/** What an export may lack some of. */
export type Doubted = 'CUDA' | 'NVTX' | 'OS runtime';

/** What Nsight Systems writes into DIAGNOSTIC_EVENT where a process ended, or was stopped, before it gave all away. */
const NOT_ALL = /^Not all (CUDA|NVTX|OS runtime) (?:libraries )?events might have been collected\b/;
/** Any other warning of a loss: it does not have to say of what. */
const LOSS = /\b(?:lost|dropped|overflow(?:ed)?|incomplete)\b/i;
const WARNING = 2;
const ERROR = 3;
const LENGTH = 200;

const all: readonly Doubted[] = ['CUDA', 'NVTX', 'OS runtime'];

/**
 * Of which kinds Nsight Systems itself says that events may be missing. Its sentences are looked at and not kept: they
 * name programs and paths.
 */
export function readDoubts(tables: ExportTables): ReadonlySet<Doubted> {
  const doubts = new Set<Doubted>();
  const columns = ['severity', textOf('text', LENGTH)];
  for (const [severity, text] of tables.rows('DIAGNOSTIC_EVENT', columns)) {
    if (typeof text !== 'string') continue;
    const [, told] = NOT_ALL.exec(text) ?? [];
    const kind = all.find((each) => each === told);
    if (kind !== undefined) doubts.add(kind);
    else if (within(severity, ERROR, 0) >= WARNING && LOSS.test(text))
      for (const each of all) doubts.add(each);
  }
  return doubts;
}

const words: Readonly<Record<Doubted, string>> = {
  CUDA: 'CUDA calls and GPU work',
  NVTX: 'NVTX ranges',
  'OS runtime': 'calls of the OS runtime',
};

/** Empty without doubts. */
export function doubtsText(doubts: ReadonlySet<Doubted>): string {
  if (doubts.size === 0) return '';
  const told = all.filter((each) => doubts.has(each)).map((each) => words[each]);
  return `Nsight Systems warns in this export that it may not have collected all of these: ${told.join(', ')}. Their counts are “at least” figures.`;
}
