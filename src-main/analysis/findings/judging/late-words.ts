import { formatCount, formatDuration } from '../../../shared/text/units.ts';
import type { CollectiveFacts, LateRank, LateReason } from '../facts/facts.ts';

/** Below this share of the time, waiting for the other ranks is part of the work: our own choice. */
export const NOTABLE_SHARE = 0.1;

/** `rank 1`, of `rank 1 · pid 4711`. */
export function rankName({ label }: Pick<LateRank, 'label'>): string {
  return label.split(' · ')[0];
}

/** `rank 1 · pid 200 came last to 57 of 60 collectives`. */
export function cameLast({ label, last }: LateRank, { known }: CollectiveFacts): string {
  return `${label} came last to ${formatCount(last)} of the ${formatCount(known)} collectives with a known last rank`;
}

/** `Before each of them rank 1 was sleeping on purpose in pause (train.py:98) for 50.1 ms, the others for 0 ns`. */
export function reasonText(late: LateRank, { text, ownNs, othersNs }: LateReason): string {
  const others = othersNs > 0 ? `for ${formatDuration(othersNs)}` : 'not at all';
  return `Before each collective that it came last to, ${rankName(late)} spent ${formatDuration(ownNs)} on average on this: ${text}; the others ${others}`;
}
