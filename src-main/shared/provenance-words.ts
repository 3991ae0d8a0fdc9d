import type { Provenance } from './model/trace.ts';
import { formatDuration } from './units.ts';

/** A recorder's interval without the zeros that a measured duration has: `60 s`. */
function formatInterval(ns: number): string {
  return formatDuration(ns).replace(/\.0+ /, ' ');
}

/** How far a table or column can be trusted in a word or two: `partial`, `aggregated per 60 s`. */
export function provenanceWord({ kind, everyNs }: Pick<Provenance, 'kind' | 'everyNs'>): string {
  if (everyNs === undefined) return kind;
  return `${kind} ${kind === 'aggregated' ? 'per' : 'every'} ${formatInterval(everyNs)}`;
}
