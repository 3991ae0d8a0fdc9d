import type { NoteDraft } from '../../../src-main/shared/note.ts';
import { kindText } from '../../state/note-words.ts';
import { firstWords } from '../../ui/first-words.ts';

/** A note in one line: its first words, else what it is called. */
export const firstLine = (note: NoteDraft): string => firstWords(note.text) ?? kindText(note);
