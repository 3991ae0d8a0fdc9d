import type { Confirmation } from '../../shared/answers/confirmation.ts';
import { cleanText } from '../../shared/text/text.ts';
import { outcomeLabels } from '../../shared/words/confirm-words.ts';
import { align } from './align.ts';

/** What `confirm` prints for a person. */
export function confirmText(
  title: string,
  { outcome, sentence, figures, differs }: Confirmation,
): string {
  const rows = figures.map(({ label, before, after }) => [label, before, after]);
  return [
    `${outcomeLabels[outcome].toUpperCase()} ${cleanText(title)}`,
    cleanText(sentence, 2_000),
    ...(rows.length === 0 ? [] : ['', ...align([['', 'first', 'second'], ...rows])]),
    ...(differs.length === 0 ? [] : ['', 'What else differs between the two runs:']),
    ...differs.map((each) => `  - ${cleanText(each, 600)}`),
  ].join('\n');
}
