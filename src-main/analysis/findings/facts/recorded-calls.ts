import type { Trace } from '../../../shared/model/trace.ts';
import { lowerBound } from '../../../shared/numbers/bisect.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { perTrace } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { evidence, refsTo } from './evidence.ts';
import type { RankFacts } from './facts.ts';
import { makersOf, production } from './loader-work.ts';

/**
 * What the rows of `syscall` prove of a cause: how many calls, and how long they took. A capture has them on request only, and
 * the agent stores those of 1 ms or more: of shorter ones nothing is said.
 */

/** Calls of one name by some threads. */
interface Calls {
  readonly name: string;
  /** Rows of syscall, longest first. */
  readonly rows: readonly number[];
  readonly ns: number;
}

/** What files are opened, looked at and read by. */
export const READING =
  /^(open(at2?)?|p?readv?2?|p?read64|preadv2|(new)?f?l?stat(at)?(64)?|fstatat64|newfstatat|statx|access|faccessat2?|readlink(at)?|getdents(64)?|readahead|fadvise64|sendfile(64)?|copy_file_range|io_uring_enter|io_getevents|close)$/;
/** What locks are taken by. */
export const LOCKING = /^(futex(_wait(v)?)?|flock|fcntl|sem(timed)?op)$/;

/** More names are details. */
const TOLD = 3;
/** Less than this of all of them is a detail. Our own choice. */
const NOTABLE = 0.1;

/** Of the calls of the makers of batches within the window, those of a name that `test` knows: `5 for each batch`. */
export function callsOfMakers(facts: RankFacts, test: RegExp) {
  const { batches } = production(facts);
  const rows = makersOf(facts).flatMap((thread) => callsWithin(facts, thread));
  const who = facts.workers.length === 0 ? 'the training thread' : 'the workers';
  return callsEvidence(facts, rows, test, { who, each: 'batch', among: batches });
}

/** The calls that the training thread was in at one of `moments`, indices into the host evidence. */
export function callsOfLoop(facts: RankFacts, moments: readonly number[]) {
  const { startsNs } = facts.host.evidence;
  return callsAt(
    facts,
    moments.map((at) => startsNs[at]),
  );
}

/** The same at moments in ns, in any order. */
export function callsAt(facts: RankFacts, momentsNs: readonly number[]) {
  const { startNs, durationNs } = facts.trace.tables.syscall.columns;
  const atNs = Float64Array.from(momentsNs).sort();
  const rows = callsWithin(facts, facts.rank.mainThread).filter(
    (row) => atNs[lowerBound(atNs, startNs[row])] <= startNs[row] + durationNs[row],
  );
  return callsEvidence(facts, rows, /./, {
    ...{ who: 'the training thread', each: 'step', among: facts.steps.count },
  });
}

/** Rows of syscall of `thread` that began within the window, in order of time. */
function callsWithin({ trace, window }: RankFacts, thread: number): number[] {
  const { rows, startsNs } = traceIndex(trace).rowsOf('syscall', thread);
  return [...rows.subarray(startsNs.lowerBound(window[0]), startsNs.upperBound(window[1]))];
}

interface Told {
  readonly who: string;
  readonly each: string;
  /** How many of `each` there were; 0 = not known. */
  readonly among: number;
}

function callsEvidence({ trace }: RankFacts, rows: readonly number[], test: RegExp, told: Told) {
  const calls = byName(trace, rows).filter(({ name }) => test.test(name));
  const allNs = calls.reduce((sum, { ns }) => sum + ns, 0);
  return calls
    .filter(({ ns }) => ns >= allNs * NOTABLE)
    .slice(0, TOLD)
    .map((each) => evidence(callsText(trace, each, told), 'exact', refsTo('syscall', each.rows)));
}

/** Most time first. */
function byName(trace: Trace, rows: readonly number[]): Calls[] {
  const { op, durationNs } = trace.tables.syscall.columns;
  return [...Map.groupBy(rows, (row) => cleanText(trace.names[op[row]] ?? ''))]
    .filter(([name]) => name !== '')
    .map(([name, own]) => ({
      name,
      rows: own.toSorted((a, b) => durationNs[b] - durationNs[a]),
      ns: own.reduce((sum, row) => sum + durationNs[row], 0),
    }))
    .sort((a, b) => b.ns - a.ns);
}

/** `412 openat calls of 1 ms or more by the workers, 5 for each batch: 1.2 s in all, 2.1 ms each (median)`. */
function callsText(trace: Trace, { name, rows, ns }: Calls, { who, each, among }: Told): string {
  const { durationNs } = trace.tables.syscall.columns;
  const [medianNs] = percentiles(
    Float64Array.from(rows, (row) => durationNs[row]),
    [50],
  );
  const perEach = among > 0 ? rows.length / among : 0;
  const often = perEach >= 1 ? `, ${formatCount(Math.round(perEach))} for each ${each}` : '';
  const which = areLongOnly(trace) ? ' of 1 ms or more' : '';
  const took =
    rows.length === 1
      ? formatDuration(ns)
      : `${formatDuration(ns)} in all, ${formatDuration(medianNs)} each (median)`;
  return `${plural(rows.length, `${name} call`)}${which} by ${who}${often}: ${took}`;
}

const LONG_NS = 1e6;

/** Whether only calls of 1 ms or more were stored. */
const areLongOnly = perTrace(({ tables: { syscall } }) => {
  const isPart = syscall.provenance.kind !== 'exact';
  return isPart && syscall.columns.durationNs.every((ns) => ns >= LONG_NS);
});

/** Whether every long call would be in the trace: false where they were not asked for, and where some may be lost. */
export function longCallsAreKnown({ tables }: Pick<Trace, 'tables'>): boolean {
  const { kind } = tables.syscall.provenance;
  return (kind === 'exact' || kind === 'partial') && tables.gap.rows === 0;
}

/** How many calls of that `name` by `threads` within the window were stored. */
export function storedCalls(facts: RankFacts, threads: readonly number[], name: string): number {
  const { trace } = facts;
  const { op } = trace.tables.syscall.columns;
  const isNamed = (row: number) => trace.names[op[row]] === name;
  return threads.reduce(
    (sum, thread) => sum + callsWithin(facts, thread).filter(isNamed).length,
    0,
  );
}
