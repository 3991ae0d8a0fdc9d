import type { Diagnosis, Finding, RankDiagnosis } from '../answers/diagnosis.ts';
import { loopKindOf } from '../answers/loop-kind.ts';
import type { Phase } from '../answers/steps.ts';
import type { TimeSpan } from '../answers/summary.ts';
import { formatDuration, formatShare } from '../text/units.ts';
import { loopOwner } from './loop-words.ts';
import { phaseLabels } from './terms.ts';

/** One phase of the training loop as every screen tells it. */
export interface PhaseRow {
  readonly phase: Phase;
  readonly label: string;
  /** Over the window that is judged; undefined where it cannot be told from other time. */
  readonly ns: number | undefined;
  /** Empty where the calls are a selection: what they took is no share of the time. */
  readonly share: string;
  readonly duration: string;
}

/** What a server's time outside CUDA calls is, where no wait for a request tells them apart. */
const IDLE_BETWEEN_REQUESTS = 'Idle between requests, or other host time';

/** Of what time the costs are shares: `1.345 s of the training loop`; of several ranks the sum. */
export function judgedTime(diagnosis: Pick<Diagnosis, 'windowNs' | 'ranks'>): string {
  const { windowNs, ranks } = diagnosis;
  const whose = loopOwner(loopKindOf(diagnosis));
  const sum = ranks.length > 1 ? ` in ${ranks.length} ranks, added up` : '';
  return `${formatDuration(windowNs)} of ${whose}${sum}`;
}

/** ` of rank 0 · pid 9`: whose time a finding's share is of, where there are several ranks. */
export function ofRank({ rank }: Pick<Finding, 'rank'>, ranks: Diagnosis['ranks']): string {
  const label = ranks.length > 1 ? ranks[rank]?.rank.label : undefined;
  return label === undefined ? '' : ` of ${label}`;
}

/** What the times are where the calls are not known to be all, told beside those of one `window`. */
export function selectionNote(window?: TimeSpan): string {
  const span =
    window === undefined
      ? ''
      : `, from the first to the last of them, ${formatDuration(window[1] - window[0])} of the recording`;
  return `These times are of the stored calls${span}, and more calls may have happened. So no shares of the whole time are given. A wait for the GPU that directly follows a copy counts as copying.`;
}

/** How much of the judged window that is: `12.2 % (170.4 ms)`. */
export function windowAmount({ window }: RankDiagnosis['steps'], ns: number): string {
  return `${formatShare(ns, window[1] - window[0])} (${formatDuration(ns)})`;
}

/** What the GPU waits for first, what is left last. */
export const phaseOrder: readonly Phase[] = [
  'input',
  'h2d',
  'compute',
  'collective',
  'idle',
  'other',
];
const NOT_KNOWN = 'not known';

/** How the rows of what the time went to follow from the rows of the phases; empty where they are the same. */
export function costsNote({ costs }: Pick<Diagnosis, 'costs'>): string {
  return costs.some(({ finding }) => finding !== undefined)
    ? 'The cost of each finding is subtracted from its part of the loop: “the rest” is what remains of that part.'
    : '';
}

/** What the loop's time went to, phase by phase; collectives only where there were any. */
export function phaseRows({
  steps,
  inputKnown,
}: Pick<RankDiagnosis, 'steps' | 'inputKnown'>): PhaseRow[] {
  const windowNs = steps.window[1] - steps.window[0];
  return phaseOrder
    .filter((phase) => phase !== 'collective' || steps.total.collective > 0)
    .filter((phase) => phase !== 'idle' || steps.total.idle > 0)
    .filter((phase) => phase !== 'input' || !(steps.serves || (steps.loopUnknown && !inputKnown)))
    .map((phase) => {
      const ns = steps.total[phase];
      if (phase === 'input' && !inputKnown)
        return { phase, label: phaseLabels.input, ns: undefined, share: NOT_KNOWN, duration: '' };
      const share = steps.isSelection ? '' : formatShare(ns, windowNs);
      const label = phaseLabel(phase, { steps, inputKnown });
      return { phase, label, ns, share, duration: formatDuration(ns) };
    });
}

/** What a phase of the loop is called, in the table of phases and in that of what the time went to. */
export function phaseLabel(
  phase: Phase,
  { steps, inputKnown }: Pick<RankDiagnosis, 'steps' | 'inputKnown'>,
): string {
  const { serves, loopUnknown, isSelection, total } = steps;
  if (isSelection && phase !== 'other' && phase !== 'idle')
    return `${phaseLabels[phase]}, in stored calls`;
  if (phase !== 'other') return phaseLabels[phase];
  if (isSelection)
    return `Outside the stored calls${serves && total.idle === 0 ? ', including idle between requests' : ''}`;
  if (serves) return total.idle > 0 ? phaseLabels.other : IDLE_BETWEEN_REQUESTS;
  if (loopUnknown) return 'Other host time, including waiting for input or requests';
  return inputKnown ? phaseLabels.other : 'Other host time, including waiting for input';
}
