import type { CausalChain, CausalLink, Evidence, Finding } from '../../shared/answers/diagnosis.ts';
import type { Claim } from './claim-costs.ts';
import type { CostCell } from './facts/facts.ts';

type Occurrence = CausalChain['occurrences'][number];

/** Occurrences of a chain that are listed. */
const LISTED = 100;

/** SYSTEM → HOST → CUDA of one finding, however often it happened. */
export function causalChain(finding: Finding, { judgement, cells }: Claim): CausalChain {
  const { system, host, cuda } = judgement.chain;
  const occurrences = joined(cells)
    .toSorted((a, b) => b.costNs - a.costNs)
    .slice(0, LISTED)
    .toSorted((a, b) => a.startNs - b.startNs);
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
    occurrenceCount: cells.reduce(
      (most, cell) => Math.max(most, cell.spanCount),
      occurrences.length,
    ),
  };
}

function link({ text, events }: Evidence): CausalLink {
  return { text, events };
}

/** One stretch may have parts in several cells: it is one occurrence, with the sum of their costs. */
function joined(cells: readonly CostCell[]): Occurrence[] {
  const bySpan = new Map<string, Occurrence>();
  for (const { spans, spanNs } of cells) {
    spans.forEach(([startNs, endNs], at) => {
      const key = `${startNs} ${endNs}`;
      const costNs = (bySpan.get(key)?.costNs ?? 0) + Math.round(spanNs[at]);
      bySpan.set(key, { startNs, endNs, costNs });
    });
  }
  return [...bySpan.values()];
}
