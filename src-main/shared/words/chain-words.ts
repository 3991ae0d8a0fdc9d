import type { WaitChain } from '../answers/wait-chain.ts';
import { formatCount, plural } from '../text/units.ts';

/** `250 segments of 601 stretches`: where short ones next to each other are joined, both are counted. */
export function segmentsText({ segments }: Pick<WaitChain, 'segments'>): string {
  const stretches = segments.reduce((sum, { count = 1 }) => sum + count, 0);
  const told = plural(segments.length, 'segment');
  return stretches === segments.length ? told : `${told} of ${formatCount(stretches)} stretches`;
}
