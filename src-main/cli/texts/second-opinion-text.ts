import { cleanText } from '../../shared/text/text.ts';
import { opinionHead, opinionRows, type SecondOpinion } from '../../shared/words/second-opinion.ts';
import { align } from './align.ts';

/** What `compare TRACE SUMMARY` prints for a person. */
export function secondOpinionText(opinion: SecondOpinion): string {
  return [
    cleanText(opinion.sentence, 2_000),
    `TraceML: ${cleanText(opinion.theirs, 2_000)}`,
    '',
    ...align([[...opinionHead], ...opinionRows(opinion)]),
    '',
    'Before you trust this comparison',
    ...opinion.notes.map((note) => `  - ${cleanText(note, 1_000)}`),
  ].join('\n');
}
