import type { KeptCalls } from '../answers/steps.ts';

/** As a clause: that its reader must not take what is stored for all that happened. */
export const keptCallsWords: Readonly<Record<KeptCalls, string>> = {
  some: 'not every CUDA call is stored',
  none: 'the CUDA calls are known as sums only',
  unknown: 'whether every CUDA call is stored is not known',
};
