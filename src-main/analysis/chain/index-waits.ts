import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { STATUS_CHECK_MS } from '../index/loader-polls.ts';
import { isPollLike } from './wait-calls.ts';
import { wakeContextOf, wakerOf } from './wakes.ts';

/**
 * Whether row `row` of a worker's main thread waited for the next batch to be asked for: for a pipe
 * that its training process then wrote to, or for the whole interval after which PyTorch's loop
 * looks around.
 */
export function isIndexWait(trace: Trace, rank: Rank | undefined, row: number): boolean {
  if (!isPollLike(trace, row)) return false;
  const { thread, syscallArg2 } = trace.tables.off_cpu.columns;
  const waker = wakerOf(trace, row);
  if (waker >= 0) {
    const parent = trace.processes[trace.threads[thread[row]].process]?.parent;
    return trace.threads[waker].process === (rank?.process ?? parent);
  }
  return wakeContextOf(trace, row) === 'timer' && syscallArg2?.[row] === STATUS_CHECK_MS;
}
