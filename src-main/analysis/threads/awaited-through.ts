import type { PartDetail } from '../../shared/answers/explanation.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { blockedOn } from './blocked-on.ts';
import { readyNsOf } from './off-cpu-row.ts';
import { visitWaitsBack, wakerOfOwnProcess } from './waits-of-waker.ts';

/** So much of a wait has to be one of the thread that ended it: else that one did something itself. */
const WAITED_SHARE = 0.5;
/** What others have a hand in: a server, a process that feeds or drains. */
const OUTSIDE: ReadonlySet<PartDetail> = new Set(['socket', 'pipe', 'poll', 'process']);

/**
 * The row of off_cpu that tells what the wait `row` was for, and what that was: another one where it was for a lock, let go
 * of by a thread of its own process that itself waited for a socket or a pipe meanwhile, as a pool of threads does that
 * fetches for the one that waits.
 */
export function awaitedThrough(
  trace: Trace,
  row: number,
): { readonly row: number; readonly detail: PartDetail } {
  const { detail } = blockedOn(trace, row);
  const by = detail === 'lock' ? wakerOfOwnProcess(trace, row) : NONE;
  if (by === NONE) return { row, detail };
  const { columns } = trace.tables.off_cpu;
  const [sinceNs, untilNs] = [columns.startNs[row], readyNsOf(columns, row)];
  let most: { readonly row: number; readonly detail: PartDetail } = { row, detail };
  let [mostNs, allNs] = [0, 0];
  visitWaitsBack(trace, by, sinceNs, untilNs, (wait, ns) => {
    const told = blockedOn(trace, wait).detail;
    if (!OUTSIDE.has(told)) return;
    allNs += ns;
    if (ns <= mostNs) return;
    most = { row: wait, detail: told };
    mostNs = ns;
  });
  return allNs >= (untilNs - sinceNs) * WAITED_SHARE ? most : { row, detail };
}
