import type { NoteDraft } from '../../../src-main/shared/library/note.ts';
import { kindText } from '../../state/investigation/note-words.ts';
import { firstWords } from '../../ui/first-words.ts';

/** A note in one line: its first words, else what it is called. */
export const firstLine = (note: NoteDraft): string => firstWords(note.text) ?? kindText(note);
