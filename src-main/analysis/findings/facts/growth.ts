import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { type CycleCause, cycleCauses } from '../../../shared/answers/wait-chain.ts';
import { growthOf } from '../../../shared/numbers/growth.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import { causesOfCycle } from '../../chain/cycle-causes.ts';
import { productionCycles } from '../../chain/production-cycles.ts';
import { evidence } from './evidence.ts';
import type { RankFacts } from './facts.ts';

/** What takes longer and longer over the run: told beside the finding that has the cost, and no finding itself. */

/** Growth of less than this part of a step is not told. Our own choice. */
const LEAST_OF_STEP = 0.05;

/** Of so many batches each is looked at; of more, as many that are spread evenly. */
const MOST_BATCHES = 600;

/**
 * `The step’s own work grew from 12.00 ms to 48.00 ms over the run: look what keep (train.py:31) keeps or goes through`; undefined where it did not.
 * `at` = indices into the evidence; `keeper` = who may keep more and more.
 */
export function hostGrowth(
  facts: RankFacts,
  at: readonly number[],
  keeper: string,
): Evidence | undefined {
  const grown = facts.hostGrowth(at);
  if (grown === undefined) return undefined;
  const stepNs = (facts.window[1] - facts.window[0]) / Math.max(1, facts.steps.count);
  if (grown.of === 'step' && grown.to - grown.from < stepNs * LEAST_OF_STEP) return undefined;
  const what = grown.of === 'step' ? 'The step’s own work' : 'The time that each takes';
  return evidence(grewText(what, grown.from, grown.to, keeper), 'inferred');
}

const WAITS_TO_START: ReadonlySet<CycleCause> = new Set<CycleCause>([
  ...(['waiting-for-index', 'starting', 'sending'] as const),
  ...(['runnable-own', 'runnable-other', 'throttled', 'idle-cpu'] as const),
]);
const MADE_IN = cycleCauses.flatMap((cause, code) => (WAITS_TO_START.has(cause) ? [] : [code]));

/** The same of the making of a batch in the workers, without its waits for a CPU. */
export function makingGrowth(
  { trace, rank, workers, window }: RankFacts,
  keeper: string,
): Evidence | undefined {
  const batches = workers
    .flatMap(({ process }) => {
      const cycles = productionCycles(trace, rank, process);
      const first = new Set(cycles.firsts);
      return Array.from({ length: cycles.count }, (_, cycle) => ({ cycles, cycle })).filter(
        ({ cycle }) =>
          cycles.startsNs[cycle] >= window[0] &&
          cycles.putsNs[cycle] <= window[1] &&
          !first.has(cycle),
      );
    })
    .sort((a, b) => a.cycles.startsNs[a.cycle] - b.cycles.startsNs[b.cycle]);
  const every = Math.max(1, Math.ceil(batches.length / MOST_BATCHES));
  const madeNs = batches
    .filter((_, at) => at % every === 0)
    .map(({ cycles, cycle }) => {
      const { ns } = causesOfCycle(trace, rank, cycles, cycle);
      return MADE_IN.reduce((sum, code) => sum + ns[code], 0);
    });
  const grown = growthOf(madeNs);
  if (grown === undefined) return undefined;
  return evidence(grewText('The making of a batch', grown.from, grown.to, keeper), 'exact');
}

function grewText(what: string, fromNs: number, toNs: number, keeper: string): string {
  return `${what} grew from ${formatDuration(fromNs)} to ${formatDuration(toNs)} over the run: look what ${keeper} keeps or goes through`;
}
