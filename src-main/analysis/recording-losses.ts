import type { Trace } from '../shared/model/trace.ts';
import type { RecordingLosses } from '../shared/report.ts';

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
