import { escapeInline } from '../markdown/escape.ts';
import { parseMarkdown } from '../markdown/tree.ts';
import { writeMarkdown } from '../markdown/write.ts';
import type { Note } from '../shared/library/note.ts';
import { formatDuration, formatMoment, plural } from '../shared/text/units.ts';
import { type Section, section } from './report-input.ts';

/** Characters of one note, and of all together, that a report has room for. */
const MAX_NOTE = 6_000;
const MAX_NOTES = 20_000;

/**
 * The user's notes and bookmarks, each quoted under its time. A note may have come with somebody
 * else's file: it keeps its form, but its mentions and references are taken off as the trace's are.
 * Whoever wants to notify somebody can still write that in the issue, and sees it then.
 */
export function notesSection(notes: readonly Note[] | undefined): Section[] {
  if (notes === undefined || notes.length === 0) return [];
  const quoted: string[] = [];
  let length = 0;
  for (const note of notes) {
    const text = noteText(note);
    if (length + text.length > MAX_NOTES) break;
    quoted.push(text);
    length += text.length;
  }
  const more = notes.length - quoted.length;
  return section('Notes', [
    ...quoted,
    more === 0 ? '' : `${plural(more, 'more note has', 'more notes have')} no room here.`,
  ]);
}

function noteText(note: Note): string {
  const kind = note.kind === 'bookmark' ? 'Bookmark' : 'Note';
  const slot = note.slot === undefined ? '' : ` ${note.slot}`;
  const about = note.event === undefined ? '' : `, on ${escapeInline(note.event.label)}`;
  const head = `**${kind}${slot} at ${timeText(note)}**${about}`;
  const body = note.text.trim() === '' ? '' : `\n\n${quoted(note.text)}`;
  return head + body;
}

function timeText({ startNs, endNs }: Note): string {
  const start = `${formatMoment(startNs)} (${startNs} ns)`;
  return endNs === startNs ? start : `${start}, ${formatDuration(endNs - startNs)} long`;
}

function quoted(source: string): string {
  const isCut = source.length > MAX_NOTE;
  const text = writeMarkdown(parseMarkdown(isCut ? source.slice(0, MAX_NOTE) : source));
  const lines = text.split('\n').map((line) => `> ${line}`.trimEnd());
  return [...lines, ...(isCut ? ['>', '> *The note goes on.*'] : [])].join('\n');
}
