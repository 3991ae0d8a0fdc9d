import type { Verdict } from '../../../src-main/shared/library/investigation.ts';

/** What each kind of verdict means. */
export const verdictMeanings: Readonly<Record<Verdict['kind'], string>> = {
  'input-bound': 'The GPU waits for the DataLoader.',
  'input-straggler': 'One rank waits for its input, and all others for that rank.',
  'h2d-bound': 'The GPU waits for copies from the host.',
  'host-bound':
    'The GPU waits for the training loop: for its work on the CPU, or for what it waits for.',
  'cpu-wait': 'The job waits for a CPU.',
  'compute-bound': 'The GPU is the limit: nothing to win back.',
  balanced: 'No part stands out.',
  serving: 'It answers requests: being idle between them is not a fault.',
  other: 'Something else, as the text says.',
  unclear: 'Looked at, not decided.',
};
