import { mayHaveLost } from '../../shared/model/lost-table.ts';
import { OWN_SWITCHES } from '../../shared/model/own-switches.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';

/**
 * Whether the slices on a CPU are all those of the job’s own threads, and no other’s: then where none is
 * stored no thread of the job had that CPU. Of a trace of several hosts it is not told of which this holds.
 */
export const hasOnlyOwnSlices = perTrace((trace): boolean => {
  const { off_cpu: switches, on_cpu: slices, gap } = trace.tables;
  if (slices.rows === 0 || switches.provenance.kind !== 'exact' || trace.hosts.length > 1)
    return false;
  for (let row = 0; row < gap.rows; row++)
    if (mayHaveLost(trace, gap.columns.op?.[row] ?? -1, 'on_cpu')) return false;
  return trace.capabilities.some(({ name, available }) => name === OWN_SWITCHES && available);
});

/** Who had a CPU, or nobody: the end of a sentence on time in which no thread of the job had it. */
export const NOT_OF_THE_JOB = 'something outside this job, or the kernel';

/** The same of time for which nobody is named, whatever the trace holds; a clause. */
export function whoElseRan(trace: Trace): string {
  return hasOnlyOwnSlices(trace)
    ? `no thread of this job had it: ${NOT_OF_THE_JOB}`
    : 'who ran is not recorded';
}
