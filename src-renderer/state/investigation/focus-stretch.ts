import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
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
}

/** The main cause's worst moment, or that of a rank where it is named, else the longest step, else all of the trace. */
export function worstStretch(diagnosis: Diagnosis, lengthNs: number, of?: number): FocusStretch {
  // A trifle that is known is not the picture of what is not.
  const cause = diagnosis.unexplained === undefined ? mainCause(diagnosis) : undefined;
  const index = of ?? cause?.rank ?? diagnosis.lead ?? 0;
  const chain = diagnosis.chains.find(
    ({ finding, rank }) => finding === cause?.id && rank === index,
  );
  const worst = chain?.occurrences.toSorted((a, b) => b.costNs - a.costNs).at(0);
  const { rank, steps } = diagnosis.ranks[index] ?? {};
  const thread = rank?.mainThread ?? -1;
  if (chain !== undefined && worst !== undefined) {
    const { startNs, endNs } = worst;
    const times = formatCount(chain.occurrenceCount);
    const what = cause?.title ?? '';
    const title = chain.occurrenceCount > 1 ? `${what}: the worst of ${times} times` : what;
    return { title, rank: index, thread, startNs, endNs, isWait: thread >= 0 };
  }
  const longest = steps?.steps
    .toSorted((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs))
    .at(0);
  if (longest !== undefined && steps?.isSelection !== true) {
    const { startNs, endNs } = longest;
    const title = `Step ${formatCount(longest.index + 1)}, the longest`;
    return { title, rank: index, thread, startNs, endNs, isWait: thread >= 0 };
  }
  const title = 'The whole recording';
  return { title, rank: index, thread, startNs: 0, endNs: lengthNs, isWait: false };
}
