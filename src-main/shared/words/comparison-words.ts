import type { ComparedFigure, ComparedFinding, RunDifference } from '../answers/comparison.ts';
import { formatDuration } from '../text/units.ts';

export const becameLabels: Readonly<Record<ComparedFinding['became'], string>> = {
  gone: 'gone',
  'maybe-gone': 'maybe gone',
  new: 'new',
  'maybe-new': 'maybe new',
  changed: 'changed',
  same: 'as before',
  'in-first': 'in the first run',
  'in-second': 'in the second run',
  'in-both': 'in both runs',
};

/** What a difference means for the steps that are compared. */
export const differenceLabels: Readonly<Record<RunDifference['kind'], string>> = {
  prevents: 'the steps can’t be compared',
  explains: 'may be why they differ',
  setting: 'a setting of the job',
};

/** `0.912 (0.880 to 0.941)`, `–` where there is none. */
export function ratioCell({ ratio, low, high }: ComparedFigure): string {
  if (ratio === undefined) return '–';
  const interval =
    low === undefined || high === undefined ? '' : ` (${low.toFixed(3)} to ${high.toFixed(3)})`;
  return `${ratio.toFixed(3)}${interval}`;
}

/** `0.912 times as long (95 % interval 0.880 to 0.941)`. */
export function ratioText({ ratio, low, high }: Partial<ComparedFigure> = {}): string {
  if (ratio === undefined) return '–';
  const interval =
    low === undefined || high === undefined
      ? ''
      : ` (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)})`;
  return `${ratio.toFixed(3)} times as long${interval}`;
}

/** First, second, ratio. */
export function figureCells(figure: ComparedFigure): [string, string, string] {
  return [formatDuration(figure.firstNs), formatDuration(figure.secondNs), ratioCell(figure)];
}

/** `The dataset takes long · rank 3 · pid 40`, where not all ranks have it. */
export function findingName({
  title,
  ranks = [],
}: Pick<ComparedFinding, 'title' | 'ranks'>): string {
  if (ranks.length === 0) return title;
  return `${title} · ${ranks.length > MOST_RANKS ? `${ranks.length} ranks` : ranks.join(', ')}`;
}

/** So many are named. */
const MOST_RANKS = 3;

/** `1.200 ms → –`: what a finding costs a step. */
export function findingCosts({ firstNs, secondNs }: ComparedFinding): string {
  const told = (ns: number | undefined) => (ns === undefined ? '–' : formatDuration(ns));
  return firstNs === undefined && secondNs === undefined
    ? ''
    : `${told(firstNs)} → ${told(secondNs)}`;
}
