import type { Diagnosis, Finding } from '../answers/diagnosis.ts';
import { formatDuration, formatShare } from '../text/units.ts';
import { ofRank } from './phase-rows.ts';

/** What shares of a rank's time are of: `of the step time`; of the time where no steps are known. */
export function shareBase(ranks: Diagnosis['ranks'], rank: number): string {
  const { count = 0, isSelection } = ranks[rank]?.steps ?? {};
  return count > 0 && isSelection !== true ? 'of the step time' : 'of the time';
}

/** ns of a rank's time that its shares are of; undefined where that is not told. */
export function judgedNs(ranks: Diagnosis['ranks'], rank: number): number | undefined {
  const [startNs = 0, endNs = 0] = ranks[rank]?.steps.window ?? [];
  return endNs > startNs ? endNs - startNs : undefined;
}

/** `costs 42.1 % of the step time: 4.935 s of 11.73 s`; of several ranks it says of which. */
export function costText(
  finding: Pick<Finding, 'rank' | 'costNs' | 'costShare'>,
  ranks: Diagnosis['ranks'],
  format: (ns: number) => string = formatDuration,
): string {
  const { rank, costNs, costShare } = finding;
  const allNs = judgedNs(ranks, rank);
  const of = allNs === undefined ? '' : ` of ${formatDuration(allNs)}`;
  const base = `${shareBase(ranks, rank)}${ofRank(finding, ranks)}`;
  return `costs ${formatShare(costShare, 1)} ${base}: ${format(costNs)}${of}`;
}

/** `saves at most 6.446 s, if all waits that it may cause end with it`; empty where nothing in the trace bounds it. */
export function gainText(
  { gainUpToNs, gainAssumes }: Pick<Finding, 'gainUpToNs' | 'gainAssumes'>,
  format: (ns: number) => string = formatDuration,
): string {
  if (gainUpToNs === undefined) return '';
  const most = `saves at most ${format(gainUpToNs)}`;
  return gainAssumes === undefined ? most : `${most}, ${gainAssumes}`;
}
