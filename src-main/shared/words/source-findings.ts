import type { SourceFinding } from '../model/trace.ts';
import { formatCount } from '../text/units.ts';
import { severityRank } from './severities.ts';

export interface SeverityCount {
  readonly severity: SourceFinding['severity'];
  readonly count: number;
  /** How many times its median the operation took at worst; absent where the tool does not say. */
  readonly worstRatio?: number;
}

/** How often the tool reported it at each severity, the most severe first. */
export function severityCounts({
  occurrences,
}: Pick<SourceFinding, 'occurrences'>): SeverityCount[] {
  return [...Map.groupBy(occurrences, ({ severity }) => severity)]
    .map(([severity, all]) => {
      const worstRatio = all.reduce((worst, { ratio = 0 }) => Math.max(worst, ratio), 0);
      return { severity, count: all.length, ...(worstRatio > 0 && { worstRatio }) };
    })
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
}

/** `2 high (worst 63.9×), 88 medium (worst 12.4×)`: of p99 to p50. */
export function severityText(finding: Pick<SourceFinding, 'occurrences'>): string {
  return severityCounts(finding)
    .map(({ severity, count, worstRatio }) => {
      const worst = worstRatio === undefined ? '' : ` (worst ${ratioText(worstRatio)})`;
      return `${formatCount(count)} ${severity.toLowerCase()}${worst}`;
    })
    .join(', ');
}

/** `6.9×`, `63.9×`, `1,638×`. */
export function ratioText(ratio: number): string {
  return `${ratio < 100 ? ratio.toFixed(1) : formatCount(Math.round(ratio))}×`;
}

/** What the tool says, for one line: where, why, what was slow, how often and how badly. */
export function sourceFindingText(finding: SourceFinding): string {
  const { foundBy, node, severity, ops, causes, occurrences } = finding;
  const where = node === undefined ? '' : ` on ${node}:`;
  const times = formatCount(occurrences.length);
  return `${foundBy} ${severity}${where} ${causes.join(' + ')} → ${ops.join(', ')} (${times}×: ${severityText(finding)})`;
}

/** What the ratios of `severityText` are. */
export const RATIO_NOTE = 'worst n× = the operation’s p99 was n times its p50';
