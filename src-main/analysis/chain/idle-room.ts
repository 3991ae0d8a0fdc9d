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
  const anyIdle = spansOfAny(idle);
  const running = [mainThread, ...workers.map((worker) => worker.mainThread)].map((thread) =>
    runningWithin(trace, thread, anyIdle),
  );
  return roomShare(
    idle.map((spans) => new Cursor(spans)),
    running.map((spans) => new Cursor(spans)),
    (count) => Math.max(0, cpus - count) / cpuShare,
  );
}

/** Goes through stretches of time from one begin or end to the next. */
class Cursor {
  readonly #spans: Spans;
  /** Begins and ends that are passed. */
  #passed = 0;

  constructor(spans: Spans) {
    this.#spans = spans;
  }

  get isWithin(): boolean {
    return this.#passed % 2 === 1;
  }

  /** Infinity after the last. */
  get nextNs(): number {
    const { startsNs, endsNs } = this.#spans;
    const at = Math.floor(this.#passed / 2);
    return (this.isWithin ? endsNs : startsNs)[at] ?? Infinity;
  }

  passUntil(ns: number): void {
    while (this.nextNs <= ns) this.#passed++;
  }
}

/** `roomOf` says how many could make batches while so many run. */
function roomShare(
  idle: readonly Cursor[],
  running: readonly Cursor[],
  roomOf: (running: number) => number,
): number {
  const all = [...idle, ...running];
  const nextNs = () => Math.min(...all.map((cursor) => cursor.nextNs));
  const within = (cursors: readonly Cursor[]) =>
    cursors.reduce((count, { isWithin }) => count + Number(isWithin), 0);
  let [idleNs, foundNs] = [0, 0];
  for (let atNs = nextNs(), endNs = atNs; endNs < Infinity; atNs = endNs) {
    for (const cursor of all) cursor.passUntil(atNs);
    endNs = nextNs();
    const idlers = within(idle);
    // Behind the last end nobody is idle.
    if (idlers === 0) continue;
    idleNs += (endNs - atNs) * idlers;
    foundNs += (endNs - atNs) * Math.min(idlers, roomOf(within(running)));
  }
  return idleNs > 0 ? foundNs / idleNs : 1;
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
