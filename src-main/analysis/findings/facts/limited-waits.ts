import { onceFor } from '../../index/per-trace.ts';
import type { CostCell, RankFacts } from './facts.ts';
import { heldBackBy } from './io-limit.ts';
import { DOMINANT_SHARE } from './loader-work.ts';
import { reachedMemoryLimit } from './memory-limit.ts';
import { writesHeldBackBy } from './write-limit.ts';

/** Whether a limit is why batches wait for disks: then nothing about the disk or the files would help. */
export const diskWaitsAreLimited = onceFor((facts: RankFacts) => facts, findLimits);

function findLimits(facts: RankFacts): boolean {
  if (reachedMemoryLimit(facts)?.isReadAgain === true || heldBackBy(facts) !== undefined)
    return true;
  const waits = facts.costs.filter(({ phase, cause }) => phase === 'input' && cause === 'disk');
  return waits.length > 0 && waits.every((cell) => heldBackPart(facts, cell) >= DOMINANT_SHARE);
}

/** How much of a cell is waits for writes that a limit holds back, 0…1. */
export function heldBackPart(facts: RankFacts, cell: CostCell): number {
  return writesHeldBackBy(facts)?.writes.partOf(cell) ?? 0;
}
