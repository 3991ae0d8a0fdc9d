import type { Note, NoteDraft } from '../../src-main/shared/library/note.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';

/** Where a note stands in time: at its event, else at its start. */
export const noteStartNs = ({ event, startNs }: NoteDraft): number => event?.startNs ?? startNs;

/** A note or a bookmark as it is drawn, in order of `atNs`. */
export interface NoteMark {
  readonly id: string;
  readonly atNs: number;
  /** The digit of a bookmark, empty for a note. */
  readonly label: string;
  /** The range a note is on; absent for one on a moment or an event, and for a bookmark. */
  readonly range?: TimeWindow;
}

/** Marks of notes that are in order of time. */
export function noteMarks(notes: readonly Note[]): NoteMark[] {
  return notes.map((note) => {
    const { id, kind, slot, startNs, endNs, event } = note;
    const isRange = kind === 'note' && event === undefined && endNs > startNs;
    return {
      id,
      atNs: noteStartNs(note),
      label: kind === 'note' ? '' : String(slot ?? '•'),
      ...(isRange && { range: { startNs, endNs } }),
    };
  });
}
