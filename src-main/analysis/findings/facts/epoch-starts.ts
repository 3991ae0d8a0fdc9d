import { median } from '../../../shared/numbers/percentile.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { productionCycles } from '../../chain/production-cycles.ts';
import type { RankFacts } from './facts.ts';

/** Of the making of batches, so much has to be at the begin of epochs. Our own choice, as is the next. */
const MOST = 0.5;
const TIMES = 3;

/**
 * ` Most of that was for the first batch of each epoch: …`, where workers that live for several epochs make it far longer than the others:
 * it can’t be asked for before the epoch begins. Empty where they do not, or no epoch’s begin is seen but the first one’s.
 */
export function epochStartsText({
  trace,
  rank,
  workers,
}: Pick<RankFacts, 'trace' | 'rank' | 'workers'>): string {
  const firsts: number[] = [];
  const others: number[] = [];
  for (const { process } of workers) {
    const cycles = productionCycles(trace, rank, process);
    const isFirst = new Set(cycles.firsts);
    // The very first begins with the fork.
    for (let cycle = 1; cycle < cycles.count; cycle++)
      (isFirst.has(cycle) ? firsts : others).push(cycles.putsNs[cycle] - cycles.startsNs[cycle]);
  }
  const sum = (ns: readonly number[]) => ns.reduce((all, each) => all + each, 0);
  const [first, other] = [median(firsts), median(others)];
  if (first === undefined || other === undefined) return '';
  if (firsts.length < 2 || first < other * TIMES) return '';
  if (sum(firsts) < (sum(firsts) + sum(others)) * MOST) return '';
  return ` Most of that was for the first batch of each epoch, which can’t be asked for before it begins: ${plural(firsts.length, 'such batch', 'such batches')} took ${formatDuration(first)} each (median), others ${formatDuration(other)}.`;
}
