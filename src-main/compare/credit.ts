import type {
  ComparedFigure,
  ComparedFinding,
  RunDifference,
} from '../shared/answers/comparison.ts';
import type { RunFinding } from '../shared/answers/run-summary.ts';
import { formatDuration } from '../shared/text/units.ts';
import { alsoDiffer } from '../shared/words/comparison-words.ts';

/** A finding of the first run that cost a step less in the second, or nothing. */
export interface Lessened extends Pick<RunFinding, 'id' | 'title'> {
  /** So much less of a step. */
  readonly ns: number;
}

/** What is held against the claim that one finding's end made the steps shorter. */
export interface Circumstances {
  readonly step: ComparedFigure;
  readonly differences: readonly RunDifference[];
  readonly lessened: readonly Lessened[];
}

type Credit = Required<Pick<ComparedFinding, 'credited' | 'accountsForNs' | 'note'>>;

/** A finding whose cost is so much of the least gain that is sure can be the reason for it. Our own choice: costs are not exact. */
const ENOUGH_SHARE = 0.9;

/** Whether the end of `finding` is what made a step shorter, as far as these two runs tell. */
export function creditOf(
  finding: RunFinding,
  { step, differences, lessened }: Circumstances,
): Credit {
  const gainNs = step.firstNs - step.secondNs;
  const leastNs = step.firstNs * (1 - (step.high ?? 1));
  const isEnough = (ns: number) => ns > 0 && ns >= ENOUGH_SHARE * leastNs;
  const costNs = finding.costPerStepNs ?? 0;
  const accountsForNs = Math.min(costNs, gainNs);
  const others = differences.filter(
    ({ kind, fixes }) => kind !== 'output' && !fixes.includes(finding.id),
  );
  const rivals = lessened.filter(
    ({ id, title, ns }) => (id !== finding.id || title !== finding.title) && isEnough(ns),
  );
  const against = [
    ...(costNs > 0 && !isEnough(costNs) ? ['Its cost does not explain the rest.'] : []),
    ...(rivals.length > 0
      ? [`As much time went away with ${rivals.map(({ title }) => `“${title}”`).join(', ')}.`]
      : []),
    ...(others.length > 0
      ? [`It may not be the reason for the gain, because ${alsoDiffer(others)}.`]
      : []),
  ];
  const credited = costNs > 0 && against.length === 0;
  const part =
    costNs > 0
      ? `By its cost it accounts for ${partOf(costNs, gainNs)} by which a step is shorter`
      : 'Its cost per step is not known, so its part in the gain is not either';
  const note = credited
    ? `${part}, and nothing else that is compared differs${butOutputs(differences)}.`
    : [`${part}.`, ...against].join(' ');
  return { credited, accountsForNs, note };
}

function butOutputs(differences: readonly RunDifference[]): string {
  const isThere = differences.some(({ kind }) => kind === 'output');
  return isThere ? ' but where the job writes, or what the run is called' : '';
}

function partOf(costNs: number, gainNs: number): string {
  const gain = formatDuration(gainNs);
  return costNs >= gainNs ? `all ${gain}` : `${formatDuration(costNs)} of the ${gain}`;
}
