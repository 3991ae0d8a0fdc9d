import type { ComparedFigure, ComparedRank } from '../shared/answers/comparison.ts';
import type { RunRank, RunSummary } from '../shared/answers/run-summary.ts';

/** Each rank in both runs, by its number, where it has one, else by its place. */
export function comparedRanks(first: RunSummary, second: RunSummary): ComparedRank[] {
  const inputKnown = first.steps?.inputKnown === true && second.steps?.inputKnown === true;
  return first.ranks.flatMap((was, at): ComparedRank[] => {
    const is = second.ranks.find(({ rank }) => rank !== undefined && rank === was.rank);
    const other = was.rank === undefined ? second.ranks[at] : is;
    const step = figure(was.stepNs, other?.stepNs);
    const input = inputKnown ? figure(was.parts?.input, other?.parts?.input) : undefined;
    return step === undefined
      ? []
      : [{ label: labelOf(was, at), ...step, ...(input && { input }) }];
  });
}

/** Ranks without a number of their own are counted from 1, as they stand in the run. */
const labelOf = ({ rank }: RunRank, at: number) =>
  rank === undefined ? `process ${at + 1}` : `rank ${rank}`;

/** Without an interval: it is told of the rank that is compared. */
function figure(
  firstNs: number | undefined,
  secondNs: number | undefined,
): ComparedFigure | undefined {
  if (firstNs === undefined || secondNs === undefined) return undefined;
  return { firstNs, secondNs, ...(firstNs > 0 && secondNs > 0 && { ratio: secondNs / firstNs }) };
}

/** Whose steps are compared, where a run has several ranks or jobs. */
export function whichRanks(first: RunSummary, second: RunSummary): string[] {
  const runs = [
    ['first', first],
    ['second', second],
  ] as const;
  const ranks = runs.flatMap(([which, { rank, ranks: all }]) =>
    all.length === 0 ? [] : `${rank} of the ${which} run`,
  );
  const jobs = runs.flatMap(([which, { rank, jobs: count }]) =>
    count > 1 ? `The ${which} run has ${count} jobs: that of ${rank} is compared.` : [],
  );
  return ranks.length === 0
    ? jobs
    : [
        `Of several ranks the one with the longest step is compared, since the others wait for it: ${ranks.join(', ')}.`,
        ...jobs,
      ];
}
