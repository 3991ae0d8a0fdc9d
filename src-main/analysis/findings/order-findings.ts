import type { Finding } from '../../shared/answers/diagnosis.ts';
import { ERROR_SHARE } from './claim-costs.ts';
import { rules } from './rules.ts';

const confidences = ['proven', 'likely', 'possible'];
const places = new Map(rules.map(({ id }, place) => [id, place]));

/**
 * Costliest first. Those that cost about as much as the first of them stand in an order that no noise changes: by how sure
 * they are, then as the rules stand.
 */
export function orderFindings(findings: readonly Finding[]): Finding[] {
  const groups: Finding[][] = [];
  for (const finding of findings.toSorted((a, b) => b.costNs - a.costNs)) {
    const group = groups.at(-1);
    if (group !== undefined && costAsMuch(group[0], finding)) group.push(finding);
    else groups.push([finding]);
  }
  return groups.flatMap((group) => group.toSorted(surestFirst));
}

/** Whether which of them costs more is within the error. */
export function costAsMuch(one: Finding, other: Finding): boolean {
  const [less, more] = [one.costNs, other.costNs].sort((a, b) => a - b);
  return less >= more * (1 - ERROR_SHARE);
}

function surestFirst(a: Finding, b: Finding): number {
  const byConfidence = confidences.indexOf(a.confidence) - confidences.indexOf(b.confidence);
  return byConfidence || placeOf(a) - placeOf(b) || a.rank - b.rank;
}

const placeOf = ({ id }: Finding) => places.get(id) ?? places.size;
