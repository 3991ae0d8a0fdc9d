import type { Notice, Provenance } from '../../shared/model/trace.ts';
import { plural } from '../../shared/text/units.ts';
import type { EventsRead } from './read-events.ts';

/** How far what was read can be trusted: events are not in the order of time, so that a file that is cut off may lack any. */
export function provenanceOf({ isCut }: EventsRead, whole: Provenance): Provenance {
  return isCut ? { kind: 'partial', note: 'What is left of a file that is cut off.' } : whole;
}

/** What is said of events that were repaired, or could not be. `skipped`: those whose times make no sense. */
export function readNotices({ repaired, left, isCut }: EventsRead, skipped: number): Notice[] {
  const notices: Notice[] = [];
  const say = (level: Notice['level'], text: string) => void notices.push({ level, text });
  if (isCut)
    notices.push({
      level: 'warning',
      text: 'The file ends in the middle of its events, as after a killed recorder or an interrupted copy: what came last is missing.',
      loss: 'cut',
    });
  if (left > 0)
    say(
      'warning',
      `${plural(left, 'piece')} of the file could not be read, and what stood there is missing: the text is no JSON there.`,
    );
  if (skipped > 0)
    say(
      'warning',
      `${plural(skipped, 'event was', 'events were')} left out: their times make no sense.`,
    );
  if (repaired > 0)
    say(
      'info',
      `${plural(repaired, 'event was', 'events were')} repaired: quotes or line breaks in a name made them no JSON.`,
    );
  return notices;
}
