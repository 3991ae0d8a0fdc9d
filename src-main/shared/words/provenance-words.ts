import type { Provenance } from '../model/trace.ts';
import { formatRoundDuration } from '../text/units.ts';

/** How far a table or column can be trusted in a word or two: `partial`, `aggregated per 60 s`. */
export function provenanceWord(provenance: Pick<Provenance, 'kind' | 'everyNs'>): string {
  const { kind, everyNs } = provenance;
  return everyNs === undefined ? kind : `${kind} ${provenanceBadge(provenance)}`;
}

/** The same where there is little room: `partial`, `per 60 s`, `every 100 ms`. */
export function provenanceBadge({ kind, everyNs }: Pick<Provenance, 'kind' | 'everyNs'>): string {
  if (everyNs === undefined) return kind;
  return `${kind === 'aggregated' ? 'per' : 'every'} ${formatRoundDuration(everyNs)}`;
}
