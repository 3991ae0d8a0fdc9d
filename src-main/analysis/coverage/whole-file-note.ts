import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, plural } from '../../shared/text/units.ts';
import type { ThreadActivity } from '../index/activity.ts';
import { bucketLengthsNs, type CountedSums } from '../index/counted-sums.ts';

/** Which rows there are. */
interface Listed {
  /** How many are left out. */
  readonly hidden: number;
  /** Whether some are of single threads. */
  readonly hasThreads: boolean;
}

/** What the figures of the whole file are sums of, and what is not in them. */
export function wholeFileNote(
  trace: Trace,
  activity: ThreadActivity,
  { hidden, hasThreads }: Listed,
): string {
  const length = formatDuration(trace.meta.lengthNs);
  const notes = [
    `Sums over the whole file (${length}) and all threads of a process, never of this call alone${basisOf(activity)}.`,
  ];
  if (hasThreads)
    notes.push('A row with a tid is one thread of its process, and in that process’s row too.');
  const uncounted = [
    ...(activity.uncountedSwitchBuckets > 0 ? ['switches'] : []),
    ...(activity.uncountedPageBuckets > 0 ? ['page allocations'] : []),
  ];
  if (uncounted.length > 0)
    notes.push(
      `Stored ${uncounted.join(' and ')} that the recorder did not count are added; where it counted some of them, their time is the higher of both figures.`,
    );
  const summarised = activity.summarisedSwitches.reduce((sum, count) => sum + count, 0);
  if (summarised > 0)
    notes.push(
      `${plural(summarised, 'switch', 'switches')} more in the recorder’s summaries are not in them.`,
    );
  if (hidden > 0)
    notes.push(`${plural(hidden, 'less busy process', 'less busy processes')} not listed.`);
  return notes.join(' ');
}

/** For switches and for page allocations: the recorder's own sums, or those of the stored events. */
function basisOf(activity: ThreadActivity): string {
  const { hasSwitches, hasPages, switchSums, pageSums } = activity;
  const switches = hasSwitches ? keptAs(switchSums) : undefined;
  const pages = hasPages ? keptAs(pageSums) : undefined;
  if (switches !== undefined && switches === pages)
    return `: switches and page allocations ${switches}`;
  const parts = [
    ...(switches === undefined ? [] : [`switches ${switches}`]),
    ...(pages === undefined ? [] : [`page allocations ${pages}`]),
  ];
  return parts.length > 0 ? `: ${parts.join(', ')}` : '';
}

function keptAs(sums: CountedSums): string {
  return sums.thread.length === 0
    ? 'as stored'
    : `as the recorder counted them per ${bucketLengthsText(sums)}`;
}

/** Bucket lengths that are named; a damaged file may have any number. */
const LENGTHS_NAMED = 3;

/** The lengths of the buckets in words: `5.000 s and 60.00 s`. */
export function bucketLengthsText(sums: CountedSums): string {
  const lengths = bucketLengthsNs(sums);
  const named = lengths.slice(0, LENGTHS_NAMED).map((ns) => formatDuration(ns));
  return lengths.length > LENGTHS_NAMED ? `${named.join(', ')} and more` : named.join(' and ');
}
