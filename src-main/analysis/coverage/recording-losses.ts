import type { RecordingLosses } from '../../shared/answers/report.ts';
import { LOST_LAUNCHES, lostLaunchesOnly, lostTable } from '../../shared/model/lost-table.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { Notice, Trace } from '../../shared/model/trace.ts';
import { plural } from '../../shared/text/units.ts';
import { lostText, lostWords } from '../../shared/words/table-words.ts';

/** What the recorder says it lost. */
export function recordingLosses({ tables }: Trace): RecordingLosses {
  const { startNs, durationNs, lost } = tables.gap.columns;
  let lostEvents = 0;
  let uncounted = 0;
  let longest = -1;
  for (let row = 0; row < lost.length; row++) {
    if (lost[row] >= 0) lostEvents += lost[row];
    else uncounted++;
    if (longest < 0 || durationNs[row] > durationNs[longest]) longest = row;
  }
  return {
    gaps: lost.length,
    lostEvents,
    uncounted,
    ...(longest >= 0 && {
      longest: [startNs[longest], startNs[longest] + durationNs[longest]] as const,
    }),
  };
}

/** The losses in a sentence, by what was lost: a table may call itself exact outside its gaps. */
export function lossNotices(trace: Trace): Notice[] {
  const { op, lost } = trace.tables.gap.columns;
  if (lost.length === 0) return [];
  const counts = new Map<Lost | undefined, number>();
  lost.forEach((count, row) => {
    const name = op?.[row] ?? -1;
    const what = lostLaunchesOnly(trace, name) ? LOST_LAUNCHES : lostTable(trace, name);
    counts.set(what, (counts.get(what) ?? 0) + Math.max(0, count));
  });
  const parts = [...counts].map(([what, count]) => partText(what, count));
  const text = `The recorder lost events in ${plural(lost.length, 'gap')}: ${parts.join(', ')}. The timeline hatches these gaps, and nothing is concluded from what is missing in them.`;
  return [{ level: 'warning', text }];
}

type Lost = TableName | typeof LOST_LAUNCHES;

function partText(what: Lost | undefined, count: number): string {
  if (count === 0)
    return `an unknown number of ${what === undefined ? 'events of any kind' : lostWords(what)[1]}`;
  return what === undefined ? `${plural(count, 'event')} of any kind` : lostText(what, count);
}
