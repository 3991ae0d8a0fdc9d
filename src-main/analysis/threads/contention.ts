import type { Contender, Contention } from '../../shared/answers/explanation.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import { cpuNumber } from '../../shared/model/hosts.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import { hasOnlyOwnSlices, NOT_OF_THE_JOB } from '../coverage/own-slices.ts';
import { rankOfThread } from '../jobs/job-index.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { EventList } from './event-list.ts';
import { stateCode, visitStates } from './visit-states.ts';
import { HELD_BY_QUOTA, isIdleTask, visitWhoRan } from './visit-who-ran.ts';

/** What ran of one thread while another waited. */
interface Share {
  ns: number;
  readonly byCpu: Map<number, number>;
  readonly slices: EventList;
}

interface Sums {
  throttledNs: number;
  idleNs: number;
  unknownNs: number;
  othersRanNs: number;
  readonly shares: Map<number, Share>;
}

/**
 * Who ran while `thread` was ready over [startNs, endNs): the slices of other threads on the CPU it
 * waited for, clipped. Time that a CPU quota took comes first and has no contender, whoever ran
 * then; nor has the time in which that CPU was idle. `rank` is the one the contenders are told from.
 */
export function contentionOf(
  trace: Trace,
  rank: Rank | undefined,
  thread: number,
  startNs: number,
  endNs: number,
): Contention {
  const sums: Sums = { throttledNs: 0, idleNs: 0, unknownNs: 0, othersRanNs: 0, shares: new Map() };
  visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state, row, throttled) => {
    if (state !== stateCode.runnable) return;
    if (throttled) sums.throttledNs += toNs - fromNs;
    else addWait(trace, row, fromNs, toNs, sums);
  });
  const { throttledNs, idleNs, unknownNs, othersRanNs, shares } = sums;
  const contenders = [...shares].map(([who, share]): Contender => {
    const cpus = [...share.byCpu].map(([cpu, ns]) => ({ cpu: cpuNumber(trace, cpu), ns }));
    return {
      ...labelThread(trace, who, rank),
      ns: share.ns,
      cpus: cpus.sort((a, b) => b.ns - a.ns),
      events: share.slices.refs(),
    };
  });
  return {
    runnableNs: throttledNs + idleNs + unknownNs + othersRanNs,
    ...{ othersRanNs, throttledNs, idleNs, unknownNs },
    contenders: contenders.sort((a, b) => b.ns - a.ns),
    ...(unknownNs > 0 && hasOnlyOwnSlices(trace) && { outsideJob: true as const }),
    note: noteOf(trace, sums),
  };
}

/** Who ran while the thread of row `row` of off_cpu was ready during that row, as its own rank tells of them. */
export function contentionOfRow(trace: Trace, row: number): Contention {
  const { startNs, durationNs, thread: threads } = trace.tables.off_cpu.columns;
  const thread = threads[row];
  const rank = rankOfThread(trace, thread);
  return contentionOf(trace, rank, thread, startNs[row], startNs[row] + durationNs[row]);
}

function addWait(trace: Trace, row: number, startNs: number, endNs: number, sums: Sums): void {
  visitWhoRan(trace, row, startNs, endNs, (fromNs, toNs, who, cpu, slice) => {
    const ns = toNs - fromNs;
    if (isIdleTask(trace, who)) sums.idleNs += ns;
    else if (who === HELD_BY_QUOTA) sums.throttledNs += ns;
    else if (who < 0) sums.unknownNs += ns;
    else {
      sums.othersRanNs += ns;
      const share = sums.shares.get(who) ?? {
        ns: 0,
        byCpu: new Map<number, number>(),
        slices: new EventList('on_cpu'),
      };
      share.ns += ns;
      share.byCpu.set(cpu, (share.byCpu.get(cpu) ?? 0) + ns);
      share.slices.add(slice, ns);
      sums.shares.set(who, share);
    }
  });
}

function noteOf(trace: Trace, { unknownNs, othersRanNs, throttledNs }: Sums): string {
  const isEmpty = trace.tables.on_cpu.rows === 0;
  if (unknownNs > 0 && isEmpty)
    return whyMissing(trace.tables, 'on_cpu', 'Who held the CPUs is not recorded in this trace.');
  if (unknownNs > 0 && hasOnlyOwnSlices(trace))
    return `For ${formatDuration(unknownNs)} no thread of this job had the CPU it waited for: it was ${NOT_OF_THE_JOB}. Only the job’s own threads are recorded.`;
  if (unknownNs > 0)
    return 'For a part of this time no slice on the CPU it waited for is recorded.';
  if (throttledNs > 0 && othersRanNs === 0)
    return 'A CPU quota kept it from running: nobody ran instead.';
  return '';
}
