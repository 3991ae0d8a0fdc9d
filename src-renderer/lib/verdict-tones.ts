import type { TraceVerdict } from '../../src-main/shared/answers/diagnosis.ts';
import type { Verdict } from '../../src-main/shared/library/investigation.ts';

/** The tone of the badge of a verdict, in an investigation and in the library. */
export const verdictTones: Readonly<
  Record<TraceVerdict | Verdict['kind'], 'warn' | 'accent' | 'neutral'>
> = {
  'input-bound': 'warn',
  'input-straggler': 'warn',
  'h2d-bound': 'warn',
  'host-bound': 'warn',
  'cpu-wait': 'warn',
  other: 'warn',
  'compute-bound': 'accent',
  balanced: 'accent',
  serving: 'accent',
  unclear: 'neutral',
  unknown: 'neutral',
};
