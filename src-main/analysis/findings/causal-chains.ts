import type { CausalChain, CausalLink, Evidence, Finding } from '../../shared/diagnosis.ts';
import type { TimeSpan } from '../../shared/summary.ts';
import type { Claim } from './claim-costs.ts';

/** Occurrences of a chain that are listed. */
const LISTED = 100;

/** SYSTEM → HOST → CUDA of one finding, however often it happened. */
export function causalChain(finding: Finding, { judgement, cells }: Claim): CausalChain {
  const { system, host, cuda } = judgement.chain;
  const spans = cells.flatMap((cell) => cell.spans).toSorted(byLength);
  const occurrences = distinct(spans)
    .slice(0, LISTED)
    .toSorted((a, b) => a[0] - b[0])
    .map(([startNs, endNs]) => ({ startNs, endNs, costNs: endNs - startNs }));
  const { id, rank, severity, costNs, costShare } = finding;
  return {
    finding: id,
    rank,
    severity,
    costNs,
    costShare,
    system: link(system),
    host: link(host),
    cuda: link(cuda),
    occurrences,
    occurrenceCount: cells.reduce((most, cell) => Math.max(most, cell.count), occurrences.length),
  };
}

function link({ text, events }: Evidence): CausalLink {
  return { text, events };
}

function byLength(a: TimeSpan, b: TimeSpan): number {
  return b[1] - b[0] - (a[1] - a[0]);
}

/** One stretch may have parts in several cells: it is one occurrence. */
function distinct(spans: readonly TimeSpan[]): TimeSpan[] {
  const seen = new Set<string>();
  return spans.filter(([startNs, endNs]) => {
    const key = `${startNs} ${endNs}`;
    return !seen.has(key) && seen.add(key);
  });
}
