import type { ThreadLabel } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { readyNsOf, throttledUntilNs } from '../threads/off-cpu-row.ts';
import { HELD_BY_QUOTA, isIdleTask, visitWhoRan } from '../threads/visit-who-ran.ts';
import type { Stretch } from './walk.ts';

/** Who had the CPU while a thread of a chain waited for it. The figures sum to the stretch. */
export interface WhoRan {
  readonly throttledNs: number;
  readonly idleNs: number;
  readonly unknownNs: number;
  /** Most first, at most 5. */
  readonly ran: readonly { readonly thread: ThreadLabel; readonly ns: number }[];
  readonly cpu: { readonly cpu?: number };
}

const MOST = 5;

export function whoRan(
  trace: Trace,
  { row, startNs, endNs }: Stretch,
  labelOf: (thread: number) => ThreadLabel,
): WhoRan {
  const { columns } = trace.tables.off_cpu;
  const readyNs = readyNsOf(columns, row);
  const freeNs = Number.isNaN(readyNs) ? startNs : throttledUntilNs(columns, row, readyNs);
  const fromNs = Math.min(endNs, Math.max(startNs, freeNs));
  let [idleNs, unknownNs, heldNs] = [0, 0, 0];
  const byThread = new Map<number, number>();
  visitWhoRan(trace, row, fromNs, endNs, (sinceNs, untilNs, who) => {
    const ns = untilNs - sinceNs;
    if (isIdleTask(trace, who)) idleNs += ns;
    else if (who === HELD_BY_QUOTA) heldNs += ns;
    else if (who < 0) unknownNs += ns;
    else byThread.set(who, (byThread.get(who) ?? 0) + ns);
  });
  const most = [...byThread].sort((a, b) => b[1] - a[1]).slice(0, MOST);
  const cpu = columns.cpuIn?.[row] ?? -1;
  return {
    ...{ throttledNs: fromNs - startNs + heldNs, idleNs, unknownNs },
    ran: most.map(([thread, ns]) => ({ thread: labelOf(thread), ns })),
    cpu: cpu < 0 ? {} : { cpu },
  };
}
