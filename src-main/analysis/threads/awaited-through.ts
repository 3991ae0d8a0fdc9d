import type { PartDetail } from '../../shared/answers/explanation.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { blockedOn } from './blocked-on.ts';
import { readyNsOf } from './off-cpu-row.ts';

/** So much of a wait has to be one of the thread that ended it: else that one did something itself. */
const WAITED_SHARE = 0.5;
const TASK = codeOf(wakeContexts, 'task');
/** What others have a hand in: a server, a process that feeds or drains. */
const OUTSIDE: ReadonlySet<PartDetail> = new Set(['socket', 'pipe', 'poll']);

/**
 * The row of off_cpu that tells what the wait `row` was for: another one where it was for a lock, let go of by a thread of
 * its own process that itself waited for a socket or a pipe meanwhile, as a pool of threads does that fetches
 * for the one that waits.
 */
export function awaitedThrough(trace: Trace, row: number): number {
  if (blockedOn(trace, row).detail !== 'lock') return row;
  const { thread, waker, wakerContext, startNs } = trace.tables.off_cpu.columns;
  const by = waker?.[row] ?? NONE;
  const isTask = wakerContext === undefined || wakerContext[row] === TASK;
  const processOf = (each: number) => trace.threads[each]?.process ?? NONE;
  if (!isTask || by === thread[row] || by < 0) return row;
  if (processOf(by) === NONE || processOf(by) !== processOf(thread[row])) return row;
  const found = longestOutside(
    trace,
    by,
    startNs[row],
    readyNsOf(trace.tables.off_cpu.columns, row),
  );
  return found ?? row;
}

/** The longest wait of `thread` for somebody outside, where such waits were most of [sinceNs, untilNs). */
function longestOutside(
  trace: Trace,
  thread: number,
  sinceNs: number,
  untilNs: number,
): number | undefined {
  const { columns } = trace.tables.off_cpu;
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  let most: number | undefined;
  let mostNs = 0;
  let allNs = 0;
  for (let at = lowerBound(startsNs, untilNs) - 1; at >= 0; at--) {
    const endNs = startsNs[at] + columns.durationNs[rows[at]];
    if (endNs <= sinceNs) break;
    if (!OUTSIDE.has(blockedOn(trace, rows[at]).detail)) continue;
    const ns = Math.min(endNs, untilNs) - Math.max(startsNs[at], sinceNs);
    allNs += ns;
    if (ns <= mostNs) continue;
    most = rows[at];
    mostNs = ns;
  }
  return allNs >= (untilNs - sinceNs) * WAITED_SHARE ? most : undefined;
}
