import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { lowerBound, lowerBoundBy } from '../../../shared/numbers/bisect.ts';
import { wakerOf, wokenNsOf } from '../../chain/wakes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { type SharedLock, sharedLock } from '../../threads/shared-lock.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';

/** What the threads that make batches waited for one lock that processes share, within the window. */
export interface LockWaits {
  readonly lock: SharedLock;
  readonly ns: number;
  /** Rows of off_cpu, longest first. */
  readonly rows: readonly number[];
  /** Processes that waited for it. */
  readonly waiters: ReadonlySet<number>;
  /** By process that let go of it: ns of the waits that it ended so. Most first. */
  readonly holders: readonly (readonly [process: number, ns: number])[];
  /** How long it was held, each time that it is known since when, ns. */
  readonly heldNs: Float64Array;
  /** Whether those who waited for it are those who had it. */
  readonly takesTurns: boolean;
}

/** Of all such locks, the one with the most waiting first. Counted once per rank. */
export const lockWaits = onceFor((facts: RankFacts) => facts, countWaits);

interface Wait {
  readonly row: number;
  readonly process: number;
  /** Until it was woken, ns. */
  readonly ns: number;
  readonly wokenNs: number;
  /** When it ran again, and had the lock. */
  readonly endNs: number;
  /** The process that ended it; -1 = not known. */
  readonly holder: number;
}

function countWaits(facts: RankFacts): LockWaits[] {
  const byLock = new Map<string, { readonly lock: SharedLock; readonly waits: Wait[] }>();
  for (const thread of makersOf(facts))
    for (const row of rowsWithin(facts, thread)) {
      if (!isAsleep(facts.trace, row)) continue;
      const lock = sharedLock(facts.trace, row);
      if (lock === undefined) continue;
      const known = byLock.get(lock.key) ?? { lock, waits: [] };
      byLock.set(lock.key, known);
      known.waits.push(waitOf(facts.trace, row));
    }
  return [...byLock.values()].map(summed).sort((a, b) => b.ns - a.ns);
}

function rowsWithin({ trace, window }: RankFacts, thread: number): Uint32Array {
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  return rows.subarray(lowerBound(startsNs, window[0]), lowerBound(startsNs, window[1]));
}

function isAsleep(trace: Trace, row: number): boolean {
  const state = stateWhileAsleep(trace, row);
  return state !== stateCode.running && state !== stateCode.runnable;
}

function waitOf(trace: Trace, row: number): Wait {
  const { startNs, durationNs, thread } = trace.tables.off_cpu.columns;
  const endNs = startNs[row] + durationNs[row];
  const wokenNs = wokenNsOf(trace, row);
  const processOf = (of: number) => trace.threads[of]?.process ?? NONE;
  return {
    row,
    process: processOf(thread[row]),
    ns: (Number.isNaN(wokenNs) ? endNs : wokenNs) - startNs[row],
    wokenNs: Number.isNaN(wokenNs) ? endNs : wokenNs,
    endNs,
    holder: processOf(wakerOf(trace, row)),
  };
}

function summed({ lock, waits }: { lock: SharedLock; waits: readonly Wait[] }): LockWaits {
  const waiters = new Set(waits.map(({ process }) => process));
  const byHolder = new Map<number, number>();
  for (const { holder, ns } of waits)
    if (holder !== NONE) byHolder.set(holder, (byHolder.get(holder) ?? 0) + ns);
  const holders = [...byHolder].sort((a, b) => b[1] - a[1]);
  const sum = (of: readonly (readonly [number, number])[]) =>
    of.reduce((ns, [, own]) => ns + own, 0);
  const byWaiters = sum(holders.filter(([process]) => waiters.has(process)));
  // SQLite wakes nobody: who waited for it will have had it too.
  const takesTurns = waiters.size > 1 && (holders.length === 0 || byWaiters * 2 >= sum(holders));
  return {
    lock,
    ns: waits.reduce((all, { ns }) => all + ns, 0),
    rows: waits.toSorted((a, b) => b.ns - a.ns).map(({ row }) => row),
    ...{ waiters, holders, takesTurns },
    heldNs: heldTimes(waits),
  };
}

/**
 * Who ends a wait lets go of the lock. It had it since its own last wait for it was over, unless it let go of it in
 * between: then it took it again without waiting, and since when is not known.
 */
function heldTimes(waits: readonly Wait[]): Float64Array {
  const gotNs = new Map<number, number[]>();
  for (const { process, endNs } of waits.toSorted((a, b) => a.endNs - b.endNs))
    if (gotNs.get(process)?.push(endNs) === undefined) gotNs.set(process, [endNs]);
  const letGoNs = new Map<number, number>();
  const held: number[] = [];
  for (const { holder, wokenNs } of waits.toSorted((a, b) => a.wokenNs - b.wokenNs)) {
    const own = gotNs.get(holder) ?? [];
    const sinceNs = own[lowerBoundBy(own, wokenNs, (atNs) => atNs) - 1];
    if (sinceNs !== undefined && sinceNs >= (letGoNs.get(holder) ?? Number.NEGATIVE_INFINITY))
      held.push(wokenNs - sinceNs);
    letGoNs.set(holder, wokenNs);
  }
  return Float64Array.from(held);
}
