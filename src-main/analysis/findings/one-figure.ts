import type { Evidence } from '../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare } from '../../shared/text/units.ts';
import type { Claim } from './claim-costs.ts';
import type { Judgement } from './rule.ts';

/** The judgement of `claim` without words about time that all belongs to other findings. */
export function withOwnWords({ judgement, cells }: Pick<Claim, 'judgement' | 'cells'>): Judgement {
  const { onlyWith, sentence } = judgement;
  if (onlyWith === undefined || cells.some(onlyWith.cells)) return judgement;
  return { ...judgement, sentence: sentence.replace(onlyWith.text, '') };
}

/**
 * `judgement` with the time that counts in place of all that its rule found: a reader who meets two figures for one
 * thing trusts neither. What is left out, and why, is said in one line of evidence (`whyCostsLess`).
 */
export function withOneFigure(
  judgement: Judgement,
  toldNs: number,
  costNs: number,
  windowNs: number,
): Judgement {
  const told = formatDuration(toldNs);
  if (costNs <= 0 || told === formatDuration(costNs)) return judgement;
  const swaps = [
    [told, formatDuration(costNs)],
    [formatShare(toldNs, windowNs), formatShare(costNs, windowNs)],
  ] as const;
  // The share stands beside the time: by itself it may be of something else.
  const inText = (text: string) =>
    text.includes(told)
      ? swaps.reduce((said, [from, to]) => said.replaceAll(from, to), text)
      : text;
  const inEvidence = (fact: Evidence): Evidence => ({ ...fact, text: inText(fact.text) });
  const { system, host, cuda } = judgement.chain;
  return {
    ...judgement,
    sentence: inText(judgement.sentence),
    evidence: judgement.evidence.map(inEvidence),
    chain: { system: inEvidence(system), host: inEvidence(host), cuda: inEvidence(cuda) },
  };
}
