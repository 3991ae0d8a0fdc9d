import type { Verdict, verdictKinds } from '../../../src-main/shared/library/investigation.ts';

type Kind = (typeof verdictKinds)[number];

/** The kinds of verdict as the list shows them, and what each means. */
export const verdictWords: Readonly<Record<Kind, { label: string; meaning: string }>> = {
  'input-bound': { label: 'input-bound', meaning: 'The GPU waits for the DataLoader.' },
  'h2d-bound': { label: 'H2D-bound', meaning: 'The GPU waits for copies from the host.' },
  'compute-bound': {
    label: 'compute-bound',
    meaning: 'The GPU is the limit: nothing to win back.',
  },
  balanced: { label: 'balanced', meaning: 'No part stands out.' },
  other: { label: 'other cause', meaning: 'Something else, as the text says.' },
  unclear: { label: 'unclear', meaning: 'Looked at, not decided.' },
};

export function verdictTone({ kind }: Verdict): 'warn' | 'accent' | 'neutral' {
  if (kind === 'input-bound' || kind === 'h2d-bound' || kind === 'other') return 'warn';
  return kind === 'unclear' ? 'neutral' : 'accent';
}
