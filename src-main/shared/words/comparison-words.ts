import type { ComparedFigure, ComparedFinding, RunDifference } from '../answers/comparison.ts';
import { formatDuration, formatShare } from '../text/units.ts';

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
  check: 'check that both train on the same',
  explains: 'may be why they differ',
  setting: 'a setting of the job',
  output: 'only where it writes, or its name',
};

/** `0.912 (0.880 to 0.941)`, `–` where there is none. */
export function ratioCell({ ratio, low, high }: ComparedFigure): string {
  if (ratio === undefined) return '–';
  const interval =
    low === undefined || high === undefined ? '' : ` (${ratioText(low)} to ${highText(high)})`;
  return `${ratioText(ratio)}${interval}`;
}

/** What hardly occurs in the second run is not gone. */
const ratioText = (ratio: number): string =>
  ratio > 0 && ratio < 0.0005 ? '<0.001' : ratio.toFixed(3);

/** `this differs too: Command`, `these differ too: CUDA, Python`. */
export function alsoDiffer(differences: readonly Pick<RunDifference, 'what'>[]): string {
  const names = differences.map(({ what }) => what).join(', ');
  return `${differences.length === 1 ? 'this differs' : 'these differ'} too: ${names}`;
}

/** Of what hardly occurs in the first run an interval has no end worth telling. */
const highText = (high: number): string => (high > 1_000 ? 'over 1,000' : ratioText(high));

/** `8.8 % shorter (95 % interval: 5.9 % to 12.0 % shorter)`: the second mean step beside the first. */
export function changeText({ ratio, low, high }: Partial<ComparedFigure> = {}): string {
  if (ratio === undefined) return '–';
  const told = ratio === 1 ? 'as long' : longerText(ratio);
  if (low === undefined || high === undefined) return told;
  const [least, most] = high <= 1 ? [high, low] : [low, high];
  const isOneWay = high <= 1 || low >= 1;
  const from = isOneWay ? percentText(least) : longerText(least);
  return `${told} (95 % interval: ${from} to ${longerText(most)})`;
}

const percentText = (ratio: number): string => formatShare(Math.abs(ratio - 1), 1);
const longerText = (ratio: number): string =>
  `${percentText(ratio)} ${ratio >= 1 ? 'longer' : 'shorter'}`;

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
