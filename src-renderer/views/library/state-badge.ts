import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';

/** What is wrong with an entry's file, for a badge and in a sentence; nothing where all is well. */
export function stateBadge({
  state,
  path: stored,
  damage,
}: Investigation):
  | { readonly label: string; readonly tone: 'warn' | 'danger'; readonly sentence: string }
  | undefined {
  const path = cleanText(stored, 4096);
  if (state === 'missing')
    return {
      label: 'missing',
      tone: 'danger',
      sentence: `No longer at ${path}: use “Locate the file…”, or open the file from where it is now.`,
    };
  if (state === 'changed')
    return {
      label: 'changed',
      tone: 'warn',
      sentence: `${path} is not the file that was added: notes may not fit it any more.`,
    };
  if (state === 'damaged')
    return {
      label: 'damaged',
      tone: 'danger',
      sentence: damage ?? `${path} could not be read when it was opened last.`,
    };
  return undefined;
}
