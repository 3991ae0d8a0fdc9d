import type { CannotTell } from '../../../shared/answers/basis.ts';

/** What findings make one ask next, and no trace answers. */

/** Which indices a worker is asked for is in its memory only. */
export const slowestSamples: CannotTell = {
  question: 'Which samples of the dataset take longest?',
  because:
    'No recorder sees the index of a sample. Time __getitem__, and print the index of each sample that takes long.',
};
