import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { lowerBoundBy } from '../../../shared/numbers/bisect.ts';
import { wakerOf, wokenNsOf } from '../../chain/wakes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { type SharedLock, sharedLock } from '../../threads/shared-lock.ts';
import { waitsForDatabase } from '../../threads/sqlite-sleeps.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';
import { switchesOfMakers, switchesOfThreads } from './loader-work.ts';

/** What some threads waited for one lock that processes share, within the window. */
export interface LockWaits {
  readonly lock: SharedLock;
  readonly ns: number;
  /** Rows of off_cpu, longest first. */
  readonly rows: readonly number[];
  /** Processes that waited for it. */
  readonly waiters: ReadonlySet<number>;
  /** By process that let go of it: ns of the waits that it ended so. Most first. */
  readonly holders: readonly ByProcess[];
  /** How long it was held until one of these waits ended, each time that it is known since when, ns. */
  readonly heldNs: Float64Array;
  /** Whether those who waited for it are those who had it. */
  readonly takesTurns: boolean;
  /** Whether those who had it waited for it too. */
  readonly isMutual: boolean;
  /** By process that was at work on the database's files meanwhile: for how long it waited for the disk. Most first. */
  readonly users: readonly ByProcess[];
}

type ByProcess = readonly [process: number, ns: number];

/** Of all such locks that the makers of batches waited for, the one with the most waiting first. Counted once per rank. */
export const lockWaits = onceFor(
  (facts: RankFacts) => facts,
  (facts) => lockWaitsIn(facts, switchesOfMakers(facts)),
);

interface Wait {
  readonly row: number;
  readonly process: number;
  readonly startNs: number;
  /** Until it was woken, ns. */
  readonly ns: number;
  readonly wokenNs: number;
  /** When it ran again, and had the lock. */
  readonly endNs: number;
  /** The process that ended it; -1 = not known. */
  readonly holder: number;
}

/** Of all such locks that `rows` of off_cpu waited for, the one with the most waiting first. */
export function lockWaitsIn(facts: RankFacts, rows: Iterable<number>): LockWaits[] {
  const byLock = new Map<string, { readonly lock: SharedLock; readonly waits: Wait[] }>();
  for (const row of rows) {
    const lock = isAsleep(facts.trace, row) ? sharedLock(facts.trace, row) : undefined;
    if (lock === undefined) continue;
    const known = byLock.get(lock.key) ?? { lock, waits: [] };
    byLock.set(lock.key, known);
    known.waits.push(waitOf(facts.trace, row));
  }
  return [...byLock.values()]
    .map(({ lock, waits }) => summed(facts, lock, waits))
    .sort((a, b) => b.ns - a.ns);
}

function isOnDisk(trace: Trace, row: number): boolean {
  const state = stateWhileAsleep(trace, row);
  return state === stateCode.disk || state === stateCode.uninterruptible;
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
    startNs: startNs[row],
    ns: (Number.isNaN(wokenNs) ? endNs : wokenNs) - startNs[row],
    wokenNs: Number.isNaN(wokenNs) ? endNs : wokenNs,
    endNs,
    holder: processOf(wakerOf(trace, row)),
  };
}

function summed(facts: RankFacts, lock: SharedLock, waits: readonly Wait[]): LockWaits {
  const waiters = new Set(waits.map(({ process }) => process));
  const holders = sumsOf(waits.map(({ holder, ns }) => [holder, ns]));
  const others = holders.map(([process]) => process).filter((process) => !waiters.has(process));
  const all = [...waits, ...waitsOfProcesses(facts, lock, others)];
  const competing = new Set(all.map(({ process }) => process));
  const isMostly = (of: ReadonlySet<number>) =>
    sum(holders.filter(([process]) => of.has(process))) * 2 >= sum(holders);
  return {
    lock,
    ns: waits.reduce((total, { ns }) => total + ns, 0),
    rows: waits.toSorted((a, b) => b.ns - a.ns).map(({ row }) => row),
    ...{ waiters, holders },
    heldNs: heldTimes(all, new Set(waits)),
    // SQLite wakes nobody: who waited for it will have had it too.
    takesTurns: waiters.size > 1 && isMostly(waiters),
    isMutual: holders.length > 0 && isMostly(competing),
    users:
      lock.file === undefined || lock.kind !== 'sqlite'
        ? []
        : usersOf(facts.trace, lock.file, waits),
  };
}

const sum = (of: readonly ByProcess[]) => of.reduce((ns, [, own]) => ns + own, 0);

/** By process, most first; those that are not known are left out. */
function sumsOf(parts: readonly ByProcess[]): ByProcess[] {
  const sums = new Map<number, number>();
  for (const [process, ns] of parts)
    if (process !== NONE && ns > 0) sums.set(process, (sums.get(process) ?? 0) + ns);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** What threads of `processes` waited for `lock`: by that it is known since when they had it. */
function waitsOfProcesses(
  facts: RankFacts,
  lock: SharedLock,
  processes: readonly number[],
): Wait[] {
  const threads = processes.flatMap((process) => jobIndex(facts.trace).threadsOf(process));
  return switchesOfThreads(facts, threads)
    .filter((row) => isAsleep(facts.trace, row) && sharedLock(facts.trace, row)?.key === lock.key)
    .map((row) => waitOf(facts.trace, row));
}

/** Who waited for the disk with files of `database` while another waited for its lock: it was at work on them. */
function usersOf(trace: Trace, database: string, waits: readonly Wait[]): ByProcess[] {
  const inOrder = waits.toSorted((a, b) => a.startNs - b.startNs);
  const longestNs = waits.reduce((most, { ns }) => Math.max(most, ns), 0);
  const rows = waitsForDatabase(trace, database).filter((row) => isOnDisk(trace, row));
  return sumsOf(
    rows.flatMap((row) => {
      const { process, startNs, wokenNs } = waitOf(trace, row);
      const first = lowerBoundBy(inOrder, startNs - longestNs, (wait) => wait.startNs);
      const last = lowerBoundBy(inOrder, wokenNs, (wait) => wait.startNs);
      return inOrder
        .slice(first, last)
        .filter((wait) => wait.process !== process)
        .map(
          (wait): ByProcess => [
            process,
            Math.min(wokenNs, wait.wokenNs) - Math.max(startNs, wait.startNs),
          ],
        );
    }),
  );
}

/**
 * Who ends a wait lets go of the lock. It had it since its own last wait for it was over, unless it let go of it in
 * between: then it took it again without waiting, and since when is not known. Told of the waits in `counted`.
 */
function heldTimes(waits: readonly Wait[], counted: ReadonlySet<Wait>): Float64Array {
  const gotNs = new Map<number, number[]>();
  for (const { process, endNs } of waits.toSorted((a, b) => a.endNs - b.endNs))
    if (gotNs.get(process)?.push(endNs) === undefined) gotNs.set(process, [endNs]);
  const letGoNs = new Map<number, number>();
  const held: number[] = [];
  for (const wait of waits.toSorted((a, b) => a.wokenNs - b.wokenNs)) {
    const { holder, wokenNs } = wait;
    const own = gotNs.get(holder) ?? [];
    const sinceNs = own[lowerBoundBy(own, wokenNs, (atNs) => atNs) - 1];
    const isSince = sinceNs >= (letGoNs.get(holder) ?? Number.NEGATIVE_INFINITY);
    if (sinceNs !== undefined && isSince && counted.has(wait)) held.push(wokenNs - sinceNs);
    letGoNs.set(holder, wokenNs);
  }
  return Float64Array.from(held);
}
