import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { warmUpSteps } from '../../../src-main/shared/answers/run-summary.ts';
import type { StepSummary } from '../../../src-main/shared/answers/steps.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';
import { mainCause } from '../../../src-main/shared/words/verdict-answer.ts';

/** A stretch of one rank's time that the picture of the Overview is about. */
export interface FocusStretch {
  readonly title: string;
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

/** The main cause's worst moment, or that of a rank where it is named, else the longest step, else all of the trace. */
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
    const times = formatCount(chain.occurrenceCount);
    const after = isAfterWarmUp ? ' after the first steps' : '';
    // What happened is told by the answer, once.
    const title =
      chain.occurrenceCount > 1 ? `Worst of ${times} moments${after}` : 'When it happened';
    const { finding } = chain;
    return { title, rank: index, thread, startNs, endNs, isWait: thread >= 0, finding };
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
