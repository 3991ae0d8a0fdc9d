import type { RankDiagnosis } from '../answers/diagnosis.ts';
import { formatDuration, formatShare } from '../text/units.ts';
import { phaseLabel } from './phase-rows.ts';

/** What went on while one rank’s loop waited for input, most first; none where that was little. */
export function inputTimeLines(
  told: Pick<RankDiagnosis, 'inputTime' | 'steps' | 'inputKnown'>,
): string[] {
  const { inputTime, steps } = told;
  if (inputTime === undefined) return [];
  const windowNs = steps.window[1] - steps.window[0];
  const amount = (ns: number) => `${formatShare(ns, windowNs)} (${formatDuration(ns)})`;
  return [
    `${phaseLabel('input', told)}, ${amount(inputTime.ns)}, by what went on meanwhile:`,
    ...inputTime.parts.map(({ text, ns }) => `${amount(ns)}: ${text}`),
    ...(inputTime.restNs > 0
      ? [`${amount(inputTime.restNs)}: many small parts, or not known`]
      : []),
  ];
}
