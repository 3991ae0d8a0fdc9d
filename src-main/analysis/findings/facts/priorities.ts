import type { EventRefs } from '../../../shared/model/event-ref.ts';
import type { SchedulingPolicy, ThreadInfo, Trace } from '../../../shared/model/trace.ts';
import type { RankFacts } from './facts.ts';

/** Whether a process goes before the job, by what the kernel said of its threads and of the job’s. */
export type Precedence =
  /** Real-time: before every thread that is not, whatever its nice value. */
  | { readonly kind: 'real-time'; readonly policy: SchedulingPolicy; readonly priority?: number }
  /** A lower nice value than the job’s main thread: more of each CPU that both want. */
  | { readonly kind: 'nicer'; readonly nice: number; readonly jobNice: number }
  /** Neither. */
  | { readonly kind: 'equal' };

const REAL_TIME: ReadonlySet<SchedulingPolicy | undefined> = new Set(['fifo', 'rr', 'deadline']);

/** Of whose slices are shown in `events`: the one that goes most before the job; undefined = not known. */
export function precedenceOf(
  { trace, rank }: Pick<RankFacts, 'trace' | 'rank'>,
  events: EventRefs,
): Precedence | undefined {
  const threads = threadsOf(trace, events).filter(({ policy }) => policy !== undefined);
  const first = threads.find(({ policy }) => REAL_TIME.has(policy));
  if (first?.policy !== undefined)
    return {
      kind: 'real-time',
      policy: first.policy,
      ...(first.priority !== undefined && { priority: first.priority }),
    };
  if (threads.length === 0) return undefined;
  const jobNice = trace.threads[rank.mainThread]?.nice;
  const nice = Math.min(...threads.map((thread) => thread.nice ?? Infinity));
  if (jobNice === undefined || nice === Infinity) return undefined;
  return nice < jobNice ? { kind: 'nicer', nice, jobNice } : { kind: 'equal' };
}

function threadsOf(trace: Trace, { shown }: EventRefs): ThreadInfo[] {
  const { thread } = trace.tables.on_cpu.columns;
  const numbers = shown.flatMap(({ table, row }) => (table === 'on_cpu' ? [thread[row]] : []));
  return [...new Set(numbers)].flatMap((number) => trace.threads[number] ?? []);
}

/** `SCHED_FIFO, priority 10` */
export function policyText({ policy, priority }: Pick<ThreadInfo, 'policy' | 'priority'>): string {
  const name = `SCHED_${policy?.toUpperCase()}`;
  return priority === undefined ? name : `${name}, priority ${priority}`;
}
