import type { Trace } from '../../shared/model/trace.ts';
import { SpanList, type Spans, spansOfAny } from '../index/spans.ts';
import { stateCode, visitStates } from '../threads/visit-states.ts';
import { idleSpans, type ProductionCycles } from './production-cycles.ts';

/** The CPUs that a loop and its workers may use, and what a worker needs of one while it makes a batch. */
export interface CpuRoom {
  /** The thread of the loop. */
  readonly mainThread: number;
  /** 0 = not known. */
  readonly cpus: number;
  /** Share of the making of a batch in which it runs. */
  readonly cpuShare: number;
}

/** From `atNs` on so many more, or fewer, are idle, or run. */
interface Change {
  readonly atNs: number;
  readonly idle: number;
  readonly running: number;
}

/**
 * The share of their idle time for which the workers would have found a CPU, had they made batches: where the loop
 * and the other workers have all CPUs, who begins sooner makes the rest wait. 1 where there is a CPU for each. Only the loop's own
 * thread and the workers' main threads are counted; whatever else runs makes it less.
 */
export function idleRoom(
  trace: Trace,
  { mainThread, cpus, cpuShare }: CpuRoom,
  workers: readonly ProductionCycles[],
): number {
  if (cpus <= 0 || cpus >= workers.length + 1 || cpuShare <= 0) return 1;
  const idle = workers.map(idleSpans);
  const changes = idle.flatMap((spans) => changesOf(spans, { idle: 1, running: 0 }));
  const anyIdle = spansOfAny(idle);
  for (const thread of [mainThread, ...workers.map((worker) => worker.mainThread)])
    changes.push(...changesOf(runningWithin(trace, thread, anyIdle), { idle: 0, running: 1 }));
  changes.sort((a, b) => a.atNs - b.atNs);
  return roomShare(changes, (running) => Math.max(0, cpus - running) / cpuShare);
}

/** `roomOf` says how many could make batches while so many run. */
function roomShare(changes: readonly Change[], roomOf: (running: number) => number): number {
  let [idle, running, idleNs, foundNs] = [0, 0, 0, 0];
  changes.forEach((change, at) => {
    idle += change.idle;
    running += change.running;
    const ns = (changes[at + 1]?.atNs ?? change.atNs) - change.atNs;
    idleNs += ns * idle;
    foundNs += ns * Math.min(idle, roomOf(running));
  });
  return idleNs > 0 ? foundNs / idleNs : 1;
}

function changesOf({ startsNs, endsNs }: Spans, { idle, running }: Omit<Change, 'atNs'>): Change[] {
  return Array.from(startsNs).flatMap((atNs, at) => [
    { atNs, idle, running },
    { atNs: endsNs[at], idle: -idle, running: -running },
  ]);
}

function runningWithin(trace: Trace, thread: number, { startsNs, endsNs }: Spans): Spans {
  const running = new SpanList([-Infinity, Infinity]);
  startsNs.forEach((startNs, at) => {
    visitStates(trace, thread, startNs, endsNs[at], (fromNs, toNs, state) => {
      if (state === stateCode.running) running.add(fromNs, toNs);
    });
  });
  return running.spans();
}
