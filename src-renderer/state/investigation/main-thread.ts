import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';

/** Index into threads of the one that gives the GPU its work: of a rank, else of the one that the diagnosis looks at first. */
export function mainThread(
  diagnosis: Diagnosis | undefined,
  rank = diagnosis?.lead ?? 0,
): number | undefined {
  const thread = diagnosis?.ranks[rank]?.rank.mainThread ?? -1;
  return thread < 0 ? undefined : thread;
}
