import type { RankDiagnosis } from '../answers/diagnosis.ts';
import { phaseLabel, windowAmount } from './phase-rows.ts';

/** What went on while one rank’s loop waited for input, most first; none where that was little. */
export function inputTimeLines(
  told: Pick<RankDiagnosis, 'inputTime' | 'steps' | 'inputKnown'>,
): string[] {
  const { inputTime, steps } = told;
  if (inputTime === undefined) return [];
  const amount = (ns: number) => windowAmount(steps, ns);
  return [
    `${phaseLabel('input', told)}, ${amount(inputTime.ns)}, by what went on meanwhile:`,
    ...inputTime.parts.map(({ text, ns }) => `${amount(ns)}: ${text}`),
    ...(inputTime.restNs > 0
      ? [`${amount(inputTime.restNs)}: many small parts, or not known`]
      : []),
  ];
}
