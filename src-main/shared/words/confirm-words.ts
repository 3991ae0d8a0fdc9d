import type { ConfirmOutcome } from '../answers/confirmation.ts';

/** What a second trace says of a finding, in a word or two. */
export const outcomeLabels: Readonly<Record<ConfirmOutcome, string>> = {
  gone: 'Gone',
  'still-there': 'Still there',
  'cannot-tell': 'Cannot tell',
};
