import type { RankFacts } from './facts.ts';
import { heldBackBy } from './io-limit.ts';
import { reachedMemoryLimit } from './memory-limit.ts';

/** Whether a limit is why the job waits for disks: then nothing about the disk or the files would help. */
export function readsAreLimited(facts: RankFacts): boolean {
  return reachedMemoryLimit(facts)?.isReadAgain === true || heldBackBy(facts) !== undefined;
}
