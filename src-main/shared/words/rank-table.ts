import type { Diagnosis, RankDiagnosis } from '../answers/diagnosis.ts';
import type { Phase } from '../answers/steps.ts';
import { midpoint } from '../numbers/percentile.ts';
import { formatCount, formatDuration } from '../text/units.ts';

/** The ranks of one job side by side, one row a rank: what a mean step of each went to. */
export interface RankTable {
  readonly title: string;
  /** The first is of the rank's label. */
  readonly columns: readonly string[];
  readonly rows: readonly RankRow[];
}

interface RankRow {
  readonly label: string;
  /** Of the other columns. */
  readonly cells: readonly RankCell[];
}

export interface RankCell {
  readonly text: string;
  /** Set where this rank has so much more of it than the others that their steps show it. */
  readonly isWorst?: true;
}

/** How a cell that is the worst of its column ends where no colour tells. */
export const WORST_MARK = '(most)';

/** More than the middle of the others by so much of a step is the worst: TraceML's share of a straggler. */
const WORST_SHARE = 0.1;

interface PhaseColumn {
  readonly phase: Phase;
  readonly title: string;
  /** Who waits most for the others is the victim. */
  readonly isOwn: boolean;
}

const phaseColumns: readonly PhaseColumn[] = [
  { phase: 'input', title: 'Input', isOwn: true },
  { phase: 'h2d', title: 'Copies to the GPU', isOwn: true },
  { phase: 'compute', title: 'Compute', isOwn: true },
  { phase: 'other', title: 'Other', isOwn: true },
  { phase: 'collective', title: 'Waits for ranks', isOwn: false },
];

/** One for each job whose ranks can be compared: two or more that train in steps, with all of their calls. */
export function rankTables({ ranks }: Pick<Diagnosis, 'ranks'>): RankTable[] {
  const jobs = Map.groupBy(ranks.filter(isComparable), ({ job }) => job);
  return [...jobs.values()].filter((own) => own.length > 1).map(tableOf);
}

function isComparable({ job, steps }: RankDiagnosis): boolean {
  return job !== undefined && steps.count > 0 && !steps.isSelection && !steps.serves;
}

function tableOf(ranks: readonly RankDiagnosis[]): RankTable {
  const isLateKnown = ranks.some(({ lateness }) => lateness !== undefined);
  const late = isLateKnown ? ['Came last', 'Others waited for it'] : [];
  return {
    title: 'A mean step of each rank',
    columns: ['Rank', 'Steps', 'Step', ...phaseColumns.map(({ title }) => title), ...late],
    rows: ranks.map((told) => ({
      label: told.rank.label,
      cells: [
        { text: formatCount(told.steps.count) },
        { text: formatDuration(stepNs(told)) },
        ...phaseColumns.map((column) => phaseCell(ranks, told, column)),
        ...(isLateKnown ? lateCells(told) : []),
      ],
    })),
  };
}

function stepNs({ steps: { window, count } }: RankDiagnosis): number {
  return (window[1] - window[0]) / count;
}

function phaseCell(
  ranks: readonly RankDiagnosis[],
  told: RankDiagnosis,
  { phase, isOwn }: PhaseColumn,
): RankCell {
  if (phase === 'input' && !told.inputKnown) return { text: 'not known' };
  const nsOf = ({ steps }: RankDiagnosis) => steps.total[phase] / steps.count;
  const others = ranks.filter((each) => each !== told);
  const moreNs = nsOf(told) - midpoint(others.map(nsOf));
  const isMost = others.every((each) => nsOf(each) < nsOf(told));
  const isWorst = isOwn && isMost && moreNs >= WORST_SHARE * midpoint(others.map(stepNs));
  return { text: formatDuration(nsOf(told)), ...(isWorst && { isWorst }) };
}

function lateCells({ lateness }: RankDiagnosis): RankCell[] {
  if (lateness === undefined) return [{ text: 'not known' }, { text: 'not known' }];
  const { last, known, othersWaitedNs, isLeader } = lateness;
  return [
    { text: `${formatCount(last)} of ${formatCount(known)}`, ...(isLeader && { isWorst: true }) },
    { text: formatDuration(othersWaitedNs) },
  ];
}

/** For hosts that show text only. */
export function rankCellText({ text, isWorst }: RankCell): string {
  return isWorst ? `${text} ${WORST_MARK}` : text;
}
