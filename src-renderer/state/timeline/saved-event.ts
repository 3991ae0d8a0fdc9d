import type { SelectedEvent } from '../../../src-main/shared/answers/placed-event.ts';
import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';

const MAX_LABEL_LENGTH = 300;

/** A window in whole ns, as a saved view keeps it. */
export const savedWindow = ({ startNs, endNs }: TimeWindow): TimeWindow => ({
  startNs: Math.max(0, Math.floor(startNs)),
  endNs: Math.max(0, Math.ceil(endNs)),
});

/** An event as a note or a saved view keeps it; nothing for one that is on no track, or is not told yet. */
export function savedEventOf(told: SelectedEvent | undefined): SavedEvent | undefined {
  const { event, name = '' } = told?.placed ?? {};
  if (told === undefined || event === undefined) return undefined;
  const { startNs, durationNs } = told;
  return { ...event, startNs, durationNs, label: name.slice(0, MAX_LABEL_LENGTH) };
}
