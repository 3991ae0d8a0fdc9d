import { plainLines } from '../../../src-main/markdown/plain.ts';
import type { NoteDraft } from '../../../src-main/shared/library/note.ts';
import { kindText } from '../../state/investigation/note-words.ts';

const MAX_LINE_LENGTH = 120;
/** So much of a note's text is read for its first line. */
const MAX_READ = 2_000;

/** A note in one line: the first of its text that says something, without marks, else what it is called. */
export function firstLine(note: NoteDraft): string {
  const [line] = plainLines(note.text.slice(0, MAX_READ));
  if (line === undefined) return kindText(note);
  return line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH - 1)}…`;
}
