import { hostOfThread } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Host, Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { onceFor, perTrace } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';

/**
 * SQLite does not wait for a lock: it tries, sleeps, and tries again, a little longer each time, by
 * sqliteDefaultBusyCallback() in its main.c. Nobody wakes it, so the lengths of its sleeps are what tells it.
 */
const DELAYS_NS = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100].map((ms) => ms * 1e6);

/** So many steps of that ladder are no chance: 1, 2, 5 ms. */
const STEPS_AT_LEAST = 3;
/** A timer is late by its slack, and by what interrupts it; on a virtual machine by more. Our own choice. */
const LATE_NS = 0.9e6;
const LATE_SHARE = 0.12;
/** When a thread was woken and when its CPU had time for it overlap: the sleep seems to be up to so much shorter. Our own choice. */
const SHORT_SHARE = 0.15;
/** More than any table has. */
const SYSTEM_CALLS = 512;
/** Between two sleeps it only tries. Its thread may have to wait for a CPU. */
const BETWEEN_NS = 20e6;

/** Whether row `row` of off_cpu is a sleep of SQLite’s until a lock may be free. */
export function isSqliteSleep(trace: Trace, row: number): boolean {
  return sleeps(trace).has(row);
}

const sleeps = perTrace((trace) => {
  const found = new Set<number>();
  for (let thread = 0; thread < trace.threads.length; thread++) {
    const ladders = laddersOf(trace, thread);
    if (!ladders.some(({ length }) => length >= STEPS_AT_LEAST)) continue;
    for (const row of ladders.flat()) found.add(row);
  }
  return found;
});

/** Sleeps of a thread, one after the other, as long as those of SQLite’s ladder from its first step on. */
function laddersOf(trace: Trace, thread: number): number[][] {
  const { startNs, durationNs, runQueueNs, syscall } = trace.tables.off_cpu.columns;
  const sleepCalls = sleepCallsOf(hostOfThread(trace, thread));
  const ladders: number[][] = [];
  let ladder: number[] = [];
  let lastNs = Number.NEGATIVE_INFINITY;
  for (const row of traceIndex(trace).switchesOf(thread).rows) {
    if (!sleepCalls.has(syscall?.[row] ?? NONE)) continue;
    const sleptNs = durationNs[row] - Math.max(0, runQueueNs?.[row] ?? 0);
    const isAt = (step: number) => isStep(sleptNs, durationNs[row], step);
    const goesOn = startNs[row] - lastNs <= BETWEEN_NS && isAt(ladder.length);
    if (!goesOn) ladder = [];
    if (goesOn || isAt(0)) ladder.push(row);
    if (ladder.length === 1) ladders.push(ladder);
    lastNs = startNs[row] + durationNs[row];
  }
  return ladders;
}

/** No sleep with the wait for a CPU after it is shorter than was asked for. */
function isStep(sleptNs: number, durationNs: number, step: number): boolean {
  const delayNs = DELAYS_NS[Math.min(step, DELAYS_NS.length - 1)];
  if (durationNs < delayNs || sleptNs < delayNs * (1 - SHORT_SHARE)) return false;
  return sleptNs < delayNs * (1 + LATE_SHARE) + LATE_NS;
}

/** Numbers of the system calls that sleep for a time, by the host’s own table. */
const sleepCallsOf = onceFor(
  (host: Host) => host,
  (host) =>
    new Set(
      Array.from({ length: SYSTEM_CALLS }, (_, number) => number).filter((number) =>
        /^(clock_)?nanosleep$/.test(syscallName(number, host) ?? ''),
      ),
    ),
);

/** `/data/x.db-wal (ext4)` → `/data/x.db`: the files that SQLite keeps beside a database. */
const BESIDE = /^(\/.*)-(?:journal|wal|shm)(?: \(deleted\))?(?: \([^()]*\))?$/;
const DATABASE = /^(\/.*\.(?:db3?|sqlite3?))(?: \([^()]*\))?$/;

/** The database whose files the process of row `row` waited for, else one that any process did; undefined = none. */
export function sqliteDatabase(trace: Trace, row: number): string | undefined {
  const { byProcess, most } = databases(trace);
  const process = trace.threads[trace.tables.off_cpu.columns.thread[row]]?.process ?? NONE;
  return byProcess.get(process) ?? most;
}

/** Rows of off_cpu that are waits for the files of `database`, in the order of the table. */
export function waitsForDatabase(trace: Trace, database: string): readonly number[] {
  return databases(trace).rows.get(database) ?? [];
}

/** Databases by process; of several the one that was waited for most often. */
const databases = perTrace((trace) => {
  const { file, thread } = trace.tables.off_cpu.columns;
  const ofName = trace.names.map(databaseOf);
  const counts = new Map<number, Map<string, number>>();
  const all = new Map<string, number>();
  const rows = new Map<string, number[]>();
  for (let row = 0; file !== undefined && row < file.length; row++) {
    const database = ofName[file[row]];
    if (database === undefined) continue;
    const process = trace.threads[thread[row]]?.process ?? NONE;
    const own = counts.get(process) ?? new Map<string, number>();
    counts.set(process, own);
    own.set(database, (own.get(database) ?? 0) + 1);
    all.set(database, (all.get(database) ?? 0) + 1);
    if (rows.get(database)?.push(row) === undefined) rows.set(database, [row]);
  }
  const byProcess = new Map([...counts].map(([process, own]) => [process, mostOf(own)] as const));
  return { byProcess, most: mostOf(all), rows };
});

function databaseOf(name: string): string | undefined {
  const found = BESIDE.exec(name) ?? DATABASE.exec(name);
  return found?.[1] === undefined ? undefined : cleanText(found[1]);
}

function mostOf(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
