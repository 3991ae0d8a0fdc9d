import { escapeInline } from '../markdown/escape.ts';
import { secondOpinionMarkdown } from '../markdown/second-opinion-markdown.ts';
import { secondOpinion } from '../shared/words/second-opinion.ts';
import { type ReportInput, type Section, section } from './report-input.ts';

/** What TraceML says of the same run, where its summary stands beside the trace; the figures of both in the long form. */
export function secondOpinionSection({ traceml, facts, summary, long }: ReportInput): Section[] {
  if (traceml === undefined || facts.diagnosis === undefined) return [];
  const opinion = secondOpinion(traceml, facts.diagnosis, summary);
  const brief = `${escapeInline(opinion.sentence)} TraceML: ${escapeInline(opinion.theirs)}`;
  return section('What TraceML says', [long ? secondOpinionMarkdown(opinion) : brief]);
}
