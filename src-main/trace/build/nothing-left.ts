import type { TableName } from '../../shared/model/schema.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatCount } from '../../shared/text/units.ts';

/** Rows of a file that could be read, and those that were left out, as a cell was not what it has to be. */
export interface RowCounts {
  readonly kept: number;
  readonly skipped: number;
}

/**
 * Whether the rows of a table stand beside what happened: readings taken now and then, and what was
 * lost. They name no thread, so a trace of nothing else explains no wait.
 */
export function standsBeside(table: TableName): boolean {
  return table === 'sample' || table === 'gap' || table === 'connection';
}

/**
 * The refusal of a file whose recorder wrote down what happened, and not one row of that can be read;
 * `undefined` where there is some, or was none. It is refused though samples are left: shown without
 * the events that were in it, a damaged file would look like a machine on which nothing happened.
 *
 * `events`: rows and sums of what happened. `beside`: those of the tables that stand beside it.
 */
export function refuseNothingLeft(
  fileName: string,
  events: RowCounts,
  beside: RowCounts,
): Result<never, TraceFileError> | undefined {
  const skipped = events.skipped + beside.skipped;
  const isRecordedBeside = events.skipped === 0 && beside.kept > 0;
  if (events.kept > 0 || skipped === 0 || isRecordedBeside) return undefined;
  const rows = skipped === 1 ? 'the only row' : `all ${formatCount(skipped)} rows`;
  const message = `Nothing of “${fileName}” can be shown: in ${rows} that should say what happened, times, numbers or types are impossible. The file is damaged, or not what it says it is. Copy it again from where it was recorded.`;
  return fail('file-damaged', message);
}
