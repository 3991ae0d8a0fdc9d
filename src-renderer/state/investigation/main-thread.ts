import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';

/** Index into threads of the one that gives the GPU its work, of the rank that the diagnosis looks at first. */
export function mainThread(diagnosis: Diagnosis | undefined): number | undefined {
  const thread = diagnosis?.ranks[diagnosis.lead ?? 0]?.rank.mainThread ?? -1;
  return thread < 0 ? undefined : thread;
}
