import type { NoteDraft } from '../../../src-main/shared/library/note.ts';
import { formatDuration, formatMoment } from '../../../src-main/shared/text/units.ts';

/** When it is, in words: its event and that one's start, a point in time, or a range. */
export function placeText({ startNs, endNs, event }: NoteDraft): string {
  if (event !== undefined) return `${event.label} · ${formatMoment(event.startNs)}`;
  if (startNs === endNs) return formatMoment(startNs);
  return `${formatMoment(startNs)} · ${formatDuration(endNs - startNs)}`;
}

/** What it is on, in words. */
export function subjectText({ startNs, endNs, event }: NoteDraft): string {
  if (event !== undefined) return 'the event';
  return startNs === endNs ? 'the time' : 'the range';
}

/** What a list or a flag calls it: `Note`, `Bookmark 3`. */
export function kindText({ kind, slot }: NoteDraft): string {
  if (kind === 'note') return 'Note';
  return slot === undefined ? 'Bookmark' : `Bookmark ${slot}`;
}
