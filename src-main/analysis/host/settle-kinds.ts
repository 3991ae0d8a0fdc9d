import { hostKinds } from '../../shared/answers/host-time.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { stateCode, stateWhileAsleep } from '../threads/visit-states.ts';
import type { HostEvidence } from './host-evidence.ts';
import { KIND } from './stack-kinds.ts';

/** A part of a function of which it is known what it does says it of the rest, from this share of its time on. */
const TELLING_SHARE = 0.2;
/** Of waits of one kind that have a stack, so many must be in one function to say it of those without. */
const AGREEING_SHARE = 0.9;

/**
 * Says of evidence that tells nothing by itself what the evidence around it tells: of a wait without a stack, in which
 * function it was; of a function of which a part is known to save, write or wait, that the rest of it belongs to that.
 */
export function settleKinds(trace: Trace, evidence: HostEvidence): void {
  placeWaits(trace, evidence);
  joinDiskWaits(trace, evidence);
  joinCompilers(trace, evidence);
  joinPrograms(evidence);
  spreadKinds(trace, evidence);
  placeByKind(evidence);
}

/** What happens to the thread wherever it is. */
const PLACELESS: ReadonlySet<number> = new Set([KIND.loader, KIND.stopped]);

/** Waits without a stack: as those in the same system call on the same file with one, else between two of one function. */
function placeWaits(trace: Trace, evidence: HostEvidence): void {
  const alike = placesByCall(trace, evidence);
  const { length, isSample, kind, place, func, row, stretch } = evidence;
  const next = nextPlaced(evidence);
  let last = NONE;
  for (let at = 0; at < length; at++) {
    if (func[at] !== NONE) last = at;
    else if (isSample[at] === 0 && !PLACELESS.has(kind[at])) {
      const before = last !== NONE && stretch[last] === stretch[at] ? last : NONE;
      const after = next[at] !== NONE && stretch[next[at]] === stretch[at] ? next[at] : NONE;
      const isBetween = before !== NONE && after !== NONE && func[before] === func[after];
      const from = alike(row[at]) ?? (isBetween ? before : NONE);
      if (from === NONE) continue;
      place[at] = place[from];
      func[at] = func[from];
      // What ended it tells who else was there; what the others called tells what it was for.
      if (kind[at] === KIND['shared-lock'] && kind[from] !== KIND.none) kind[at] = kind[from];
    }
  }
}

/** By evidence, the next that has a place, itself included; -1 = none. */
function nextPlaced({ length, func }: HostEvidence): Int32Array {
  const next = new Int32Array(length);
  for (let at = length - 1; at >= 0; at--)
    next[at] = func[at] !== NONE ? at : at + 1 < length ? next[at + 1] : NONE;
  return next;
}

/** For a row of off_cpu, evidence in the function that nine of ten waits alike were in; undefined where that is not known. */
function placesByCall(trace: Trace, evidence: HostEvidence): (row: number) => number | undefined {
  const { syscall, file } = trace.tables.off_cpu.columns;
  const keyOf = (row: number) => ((syscall?.[row] ?? -1) + 1) * 2 ** 32 + (file?.[row] ?? -1) + 1;
  const { length, isSample, func, row } = evidence;
  const found = new Map<number, { total: number; readonly byFunction: Map<number, number[]> }>();
  for (let at = 0; at < length; at++) {
    if (isSample[at] === 1 || func[at] === NONE || (syscall?.[row[at]] ?? -1) < 0) continue;
    const key = keyOf(row[at]);
    const alike = found.get(key) ?? { total: 0, byFunction: new Map<number, number[]>() };
    found.set(key, alike);
    alike.total++;
    const own = alike.byFunction.get(func[at]) ?? [];
    alike.byFunction.set(func[at], own);
    own.push(at);
  }
  return (asked) => {
    const alike = found.get(keyOf(asked));
    for (const own of alike?.byFunction.values() ?? [])
      if (own.length >= (alike?.total ?? 0) * AGREEING_SHARE) return own[0];
    return undefined;
  };
}

/** A wait for the disk in a stretch in which the thread saves: opening, cutting off or renaming the file belongs to it. */
function joinDiskWaits(trace: Trace, evidence: HostEvidence): void {
  const { length, isSample, kind, place, func, row, stretch } = evidence;
  const saves = new Map<number, number>();
  for (let at = 0; at < length; at++) if (kind[at] === KIND.checkpoint) saves.set(stretch[at], at);
  for (let at = 0; at < length; at++) {
    const from = saves.get(stretch[at]);
    if (from === undefined || isSample[at] === 1 || kind[at] !== KIND.none) continue;
    if (stateWhileAsleep(trace, row[at]) !== stateCode.disk) continue;
    kind[at] = KIND.checkpoint;
    if (func[at] !== NONE) continue;
    place[at] = place[from];
    func[at] = func[from];
  }
}

/** In a stretch with a wait for a compiler: starting it and reading what it said belong to it. */
function joinCompilers(trace: Trace, { length, kind, stretch, isSample, row }: HostEvidence): void {
  const { waker } = trace.tables.off_cpu.columns;
  const compiles = new Set<number>();
  for (let at = 0; at < length; at++) if (kind[at] === KIND.compiling) compiles.add(stretch[at]);
  for (let at = 0; at < length; at++) {
    if (kind[at] !== KIND['subprocess-wait'] || !compiles.has(stretch[at])) continue;
    const isForOther = isSample[at] === 0 && (waker?.[row[at]] ?? NONE) !== NONE;
    if (!isForOther) kind[at] = KIND.compiling;
  }
}

/** In a function that mostly waits for programs, its waits for the threads that start them belong to these. */
function joinPrograms({ length, kind, func, startsNs, endsNs }: HostEvidence): void {
  const balances = new Map<number, number>();
  for (let at = 0; at < length; at++) {
    const isForProgram = kind[at] === KIND['subprocess-wait'];
    if (func[at] === NONE || (!isForProgram && kind[at] !== KIND.producer)) continue;
    const ns = endsNs[at] - startsNs[at];
    balances.set(func[at], (balances.get(func[at]) ?? 0) + (isForProgram ? ns : -ns));
  }
  for (let at = 0; at < length; at++)
    if (kind[at] === KIND.producer && (balances.get(func[at]) ?? 0) > 0)
      kind[at] = KIND['subprocess-wait'];
}

/** Kinds that a function as a whole may be of, once a part of it is. */
const SPREADING: readonly number[] = [
  KIND['garbage-collection'],
  KIND.compiling,
  KIND.checkpoint,
  KIND['slow-output'],
  KIND['subprocess-wait'],
  KIND.evaluation,
  KIND['host-metrics'],
  KIND['host-data-movement'],
];

/** What is known of a function, ns. */
interface FunctionTime {
  readonly byKind: Float64Array;
  allNs: number;
  /** Of no kind, in libraries that compute. */
  computingNs: number;
}

function spreadKinds(trace: Trace, evidence: HostEvidence): void {
  const { length, kind, func } = evidence;
  const times = timesByFunction(trace, evidence);
  const meant = new Map([...times].map(([number, time]) => [number, kindOf(time)]));
  for (let at = 0; at < length; at++) {
    if (kind[at] !== KIND.none || func[at] === NONE) continue;
    kind[at] = meant.get(func[at]) ?? KIND.none;
  }
}

function timesByFunction(
  trace: Trace,
  { length, kind, func, isComputing, isSample, startsNs, endsNs }: HostEvidence,
): ReadonlyMap<number, FunctionTime> {
  const sampleNs = trace.tables.cpu_sample.provenance.everyNs ?? ASSUMED_SAMPLE_NS;
  const times = new Map<number, FunctionTime>();
  for (let at = 0; at < length; at++) {
    if (func[at] === NONE) continue;
    const time = times.get(func[at]) ?? {
      ...{ byKind: new Float64Array(hostKinds.length), allNs: 0, computingNs: 0 },
    };
    times.set(func[at], time);
    const ns = isSample[at] === 1 ? sampleNs : endsNs[at] - startsNs[at];
    time.byKind[kind[at]] += ns;
    time.allNs += ns;
    if (kind[at] === KIND.none && isComputing[at] === 1) time.computingNs += ns;
  }
  return times;
}

/** So much evidence of a kind must have a place to say it of waits of that kind without one. */
const MIN_PLACED = 2;

/** Waits that are known to be of a kind, and that no stack places: where all else of that kind is in one function. */
function placeByKind({ length, kind, func, place, isSample }: HostEvidence): void {
  const placed = SPREADING.map(() => new Map<number, { readonly first: number; count: number }>());
  for (let at = 0; at < length; at++) {
    if (func[at] === NONE) continue;
    const byFunction = placed[SPREADING.indexOf(kind[at])];
    const own = byFunction?.get(func[at]) ?? { first: at, count: 0 };
    own.count++;
    byFunction?.set(func[at], own);
  }
  const onlyPlace = placed.map((byFunction) => {
    const functions = [...byFunction.values()];
    const all = functions.reduce((sum, { count }) => sum + count, 0);
    return functions.find(({ count }) => all >= MIN_PLACED && count >= all * AGREEING_SHARE);
  });
  for (let at = 0; at < length; at++) {
    if (func[at] !== NONE || isSample[at] === 1) continue;
    const from = onlyPlace[SPREADING.indexOf(kind[at])]?.first;
    if (from === undefined) continue;
    place[at] = place[from];
    func[at] = func[from];
  }
}

/** Between two samples where the recorder does not say it: only how much a sample weighs beside a wait depends on it. */
const ASSUMED_SAMPLE_NS = 20e6;

/**
 * Of what in a function says nothing of itself: what most of the function is known to be, if that is enough of it. What
 * libraries compute may be for anything: it is of a known kind only where there is more of that.
 */
function kindOf({ byKind, allNs, computingNs }: FunctionTime): number {
  const most = SPREADING.reduce((best, code) => (byKind[code] > byKind[best] ? code : best));
  return byKind[most] >= Math.max(allNs * TELLING_SHARE, computingNs) ? most : KIND.none;
}
