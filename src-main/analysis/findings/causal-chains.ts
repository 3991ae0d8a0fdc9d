import type { CausalChain, CausalLink, Evidence, Finding } from '../../shared/answers/diagnosis.ts';
import type { Claim } from './claim-costs.ts';
import type { CostCell } from './facts/facts.ts';

/** Occurrences of a chain that are listed. */
const LISTED = 100;

/** With less of what a finding costs, what would show it best shows too little of it. Our own choice. */
const TELLING_SHARE = 0.1;

/** A stretch of the loop's time that a finding is in, and what it costs there. */
interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
  costNs: number;
}

/** By begin and end. */
type Stretches = ReadonlyMap<string, Stretch>;

/** SYSTEM → HOST → CUDA of one finding, however often it happened. `others`: what else is found of its rank. */
export function causalChain(
  finding: Finding,
  claim: Claim,
  others: readonly Claim[] = [],
): CausalChain {
  const { system, host, cuda } = claim.judgement.chain;
  const { cells, stretches } = telling(claim, others);
  const occurrenceCount = cells.reduce((most, { spanCount }) => Math.max(most, spanCount), 0);
  const occurrences = stretches
    .toSorted((a, b) => b.costNs - a.costNs)
    .slice(0, Math.min(LISTED, occurrenceCount))
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
    occurrenceCount,
  };
}

function link({ text, events }: Evidence): CausalLink {
  return { text, events };
}

/**
 * The stretches that tell of a finding, and its cells that they are of. First those where it waits, copies or works, and nothing
 * else that was found costs more; where these are next to nothing, those in which others do; then those that it only makes
 * longer, by the CPUs that it takes.
 */
function telling({ judgement, cells }: Claim, others: readonly Claim[]) {
  const direct = cells.filter((cell) => judgement.beside?.(cell) !== true);
  const [all, ofDirect] = [cells, direct].map(stretchesOf);
  const ofOthers = others.map((other) => stretchesOf(other.cells));
  const isDirect = (key: string) => ofDirect.has(key);
  const isOwn = (key: string) => ofOthers.every((other) => costAt(other, key) <= costAt(all, key));
  const choices = [
    { of: direct, isTold: (key: string) => isDirect(key) && isOwn(key) },
    { of: direct, isTold: isDirect },
    { of: cells, isTold: isOwn },
  ];
  const enoughNs = sumOf([...all.values()]) * TELLING_SHARE;
  for (const { of, isTold } of choices) {
    const stretches = [...all].filter(([key]) => isTold(key)).map(([, one]) => one);
    if (sumOf(stretches) >= enoughNs) return { cells: of, stretches };
  }
  return { cells, stretches: [...all.values()] };
}

const costAt = (stretches: Stretches, key: string) => stretches.get(key)?.costNs ?? 0;

const sumOf = (stretches: readonly Stretch[]) =>
  stretches.reduce((sum, { costNs }) => sum + costNs, 0);

/** One stretch may have parts in several cells: it is one, with the sum of their costs. */
function stretchesOf(cells: readonly CostCell[]): Stretches {
  const bySpan = new Map<string, Stretch>();
  for (const { spans, spanNs } of cells) {
    spans.forEach(([startNs, endNs], at) => {
      const key = `${startNs} ${endNs}`;
      const known = bySpan.get(key) ?? { startNs, endNs, costNs: 0 };
      known.costNs += Math.round(spanNs[at]);
      bySpan.set(key, known);
    });
  }
  return bySpan;
}
