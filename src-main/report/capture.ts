import { escapeInline } from '../markdown/escape.ts';
import type { CannotTell } from '../shared/answers/basis.ts';
import type { RecordingLosses } from '../shared/answers/report.ts';
import { tableNames } from '../shared/model/schema.ts';
import { formatMoment, plural } from '../shared/text/units.ts';
import { provenanceWord } from '../shared/words/provenance-words.ts';
import { exact } from './exact.ts';
import { type ReportInput, type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';

const MAX_NOTICES = 30;
const MAX_QUESTIONS = 30;

/** What the trace cannot answer. */
export function cannotTellSection(items: readonly CannotTell[]): Section[] {
  // The call and the whole trace may leave the same question open.
  const open = new Map(items.map((item) => [item.question, item]));
  const lines = [...open.values()]
    .slice(0, MAX_QUESTIONS)
    .map(({ question, because }) => `- **${escapeInline(question)}** ${escapeInline(because)}`);
  return section('What this trace cannot tell', [lines.join('\n')]);
}

/** How far the trace can be trusted: its tables, what was lost, what its reader must know. */
export function captureSection({ summary, facts }: ReportInput): Section[] {
  const present = tableNames.filter((name) => summary.tables[name].provenance.kind !== 'absent');
  const absent = tableNames.filter((name) => summary.tables[name].provenance.kind === 'absent');
  const rows = present.map((name) => {
    const { rows, provenance } = summary.tables[name];
    return [`\`${name}\``, String(rows), provenanceWord(provenance), escapeInline(provenance.note)];
  });
  const notRecorded = absent.map((name) => `\`${name}\``).join(', ');
  return section('How it was captured', [
    rows.length === 0
      ? ''
      : table([text('Table'), number('Rows'), text('Known'), text('Note')], rows),
    notRecorded === '' ? '' : `Not recorded: ${notRecorded}.`,
    summary.tables.gap.provenance.kind === 'absent'
      ? 'Whether events were lost is not recorded.'
      : lossText(facts.losses),
    noticeLines(summary.notices),
  ]);
}

function lossText({ gaps, lostEvents, uncounted, longest }: RecordingLosses): string {
  if (gaps === 0) return 'The recorder reports no losses.';
  const many = `The recorder lost events in ${plural(gaps, 'stretch', 'stretches')} of time`;
  const count = uncounted === gaps ? 'how many is not known' : `${lostEvents} of them counted`;
  const where =
    longest === undefined
      ? ''
      : `; the longest is ${exact(longest[1] - longest[0])} from ${formatMoment(longest[0])}`;
  return `${many}, ${count}${where}.`;
}

function noticeLines(notices: ReportInput['summary']['notices']): string {
  const lines = notices
    .slice(0, MAX_NOTICES)
    .map(({ text: notice }) => `- ${escapeInline(notice)}`);
  const more = notices.length - lines.length;
  if (more > 0) lines.push(`- ${more} more`);
  return lines.join('\n');
}
