import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { warmUpSteps } from '../../../src-main/shared/answers/run-summary.ts';
import type { StepSummary } from '../../../src-main/shared/answers/steps.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';
import { mainCause, secondCause } from '../../../src-main/shared/words/verdict-answer.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';

/** A stretch of one rank's time that the picture of the Overview is about. */
export interface FocusStretch {
  readonly title: string;
  /** The same where there is little room, if it is long. */
  readonly short?: string;
  /** What it is a part of: `step 169`; absent where no step is known to hold it. */
  readonly within?: string;
  /** Index into the ranks of the diagnosis. */
  readonly rank: number;
  /** Index into threads; -1 = not known. */
  readonly thread: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Whether what was waited for in it can be asked. */
  readonly isWait: boolean;
  /** The id of the finding of which it is the worst occurrence. */
  readonly finding?: string;
}

/** `what`: which cause of the answer, where that tells of two; what it is is told there, once. */
function titleOf(
  count: number,
  isAfterWarmUp: boolean,
  what: string,
): Pick<FocusStretch, 'title' | 'short'> {
  if (count <= 1) return { title: `When ${what} happened` };
  const times = formatCount(count);
  const after = isAfterWarmUp ? ', the first steps left out' : '';
  return {
    title: `The costliest of the ${times} times that ${what} happened${after}`,
    short: `The costliest of ${times} times${after}`,
  };
}

interface Costly {
  readonly startNs: number;
  readonly costNs: number;
}

/**
 * The costliest. The first steps fill caches and start workers: one of them is no picture of all. They are left
 * out where the others cost as much together, so that what happens only at the begin is shown where it does.
 */
function costliest<T extends Costly>(all: readonly T[], steps: StepSummary | undefined) {
  const cost = (of: readonly T[]) => of.reduce((sum, { costNs }) => sum + costNs, 0);
  const most = (of: readonly T[]) => of.toSorted((a, b) => b.costNs - a.costNs).at(0);
  const warm = warmUpSteps(steps?.count ?? 0);
  const fromNs = steps?.steps.find(({ index }) => index >= warm)?.startNs ?? 0;
  const late = all.filter(({ startNs }) => startNs >= fromNs);
  const worst = most(cost(late) * 2 >= cost(all) ? late : all);
  return { worst, isAfterWarmUp: worst !== most(all) };
}

/** Less of a stretch than this in a step is the edge of another one. Our own choice. */
const EDGE_SHARE = 0.01;

/** `step 169`, `steps 169 and 170`, `steps 169 to 172`: what holds a stretch, where these are known. */
function stepsWithin(steps: StepSummary | undefined, { startNs, endNs }: TimeWindow): string {
  const least = (endNs - startNs) * EDGE_SHARE;
  const held = (steps?.steps ?? []).filter(
    (step) => Math.min(step.endNs, endNs) - Math.max(step.startNs, startNs) > least,
  );
  const [first, last] = [held.at(0), held.at(-1)];
  if (first === undefined || last === undefined) return '';
  const [from, to] = [first, last].map(({ index }) => formatCount(index + 1));
  if (first === last) return `step ${from}`;
  return `steps ${from} ${held.length === 2 ? 'and' : 'to'} ${to}`;
}

/** The costliest time that the main cause happened, or that of a rank where it is named, else the longest step, else all of the trace. */
export function worstStretch(diagnosis: Diagnosis, lengthNs: number, of?: number): FocusStretch {
  // A trifle that is known is not the picture of what is not.
  const cause = diagnosis.unexplained === undefined ? mainCause(diagnosis) : undefined;
  const index = of ?? cause?.rank ?? diagnosis.lead ?? 0;
  const chain = diagnosis.chains.find(
    ({ finding, rank }) => finding === cause?.id && rank === index,
  );
  const { rank, steps } = diagnosis.ranks[index] ?? {};
  const thread = rank?.mainThread ?? -1;
  const { worst, isAfterWarmUp } = costliest(chain?.occurrences ?? [], steps);
  if (chain !== undefined && worst !== undefined) {
    const { startNs, endNs } = worst;
    const what = secondCause(diagnosis) === undefined ? 'this' : 'the first cause';
    const within = stepsWithin(steps, worst);
    return {
      ...titleOf(chain.occurrenceCount, isAfterWarmUp, what),
      ...(within !== '' && { within }),
      ...{ rank: index, thread, startNs, endNs, isWait: thread >= 0, finding: chain.finding },
    };
  }
  const counted = steps?.isSelection === true ? [] : (steps?.steps ?? []);
  const lengths = counted.map((step) => ({ ...step, costNs: step.endNs - step.startNs }));
  const longest = costliest(lengths, steps);
  if (longest.worst !== undefined) {
    const { startNs, endNs } = longest.worst;
    const after = longest.isAfterWarmUp ? ' after the first ones' : '';
    const title = `Step ${formatCount(longest.worst.index + 1)}, the longest${after}`;
    return { title, rank: index, thread, startNs, endNs, isWait: thread >= 0 };
  }
  const title = 'The whole recording';
  return { title, rank: index, thread, startNs: 0, endNs: lengthNs, isWait: false };
}
