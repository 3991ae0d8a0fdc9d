import { hostKinds } from '../../../shared/answers/host-time.ts';
import { codeOf, wakeContexts } from '../../../shared/model/codes.ts';
import { onceFor } from '../../index/per-trace.ts';
import { withinCursor } from '../../index/spans.ts';
import { sureShare } from '../../input/assumed-stretch.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { awaitedFile } from '../../threads/awaited-file.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import { sleptNs, switchesWithin } from './awaited-files.ts';
import type { CostCause, CostCell, RankFacts } from './facts.ts';
import { hostSamples } from './host-samples.ts';
import { SAMPLES_AT_LEAST } from './loader-work.ts';
import { type MemoryLimit, reachedMemoryLimit, samplesOfWork, workShare } from './memory-limit.ts';

/** What a limit of memory took of the training thread itself, outside of its waits for input. */
export interface OwnShortage {
  /** Waits for pages to come back from swap, or from files that are mapped: rows of off_cpu, longest first. */
  readonly pageRows: readonly number[];
  /** Waits that the kernel put it to for being above memory.high: likewise. */
  readonly heldRows: readonly number[];
  /** How much of a cell is the limit’s, 0…1. */
  readonly partOf: (cell: CostCell) => number;
  /** The most that a higher limit can win of its own time, ns; undefined where nothing in the trace bounds it. */
  readonly mostNs: number | undefined;
}

/** Causes of time on a CPU, outside of CUDA calls. */
const RUNS: ReadonlySet<CostCause> = new Set<CostCause>([
  'running',
  'unknown',
  'drained',
  'launching',
]);
/** What neither pages nor a thread of its own that waited for some can have lengthened, but as time on a CPU. */
const OTHERS: ReadonlySet<CostCause> = new Set<CostCause>([
  ...RUNS,
  'device',
  'transfer',
  'staging',
  'allocation',
]);
const TIMER = codeOf(wakeContexts, 'timer');

/** Undefined where no limit was reached. Found once per rank. */
export const ownShortage = onceFor((facts: RankFacts) => facts, findShortage);

function findShortage(facts: RankFacts): OwnShortage | undefined {
  const limit = reachedMemoryLimit(facts);
  if (limit === undefined) return undefined;
  const { pageRows, heldRows } = waitsOf(facts, limit);
  const [disk, fault] = [sharesOf(facts, pageRows, 'disk'), sharesOf(facts, heldRows, 'fault')];
  const samples = hostSamples(facts);
  const running = workShare(samplesOfWork(facts, samples, limit.work).length, samples.length);
  return {
    ...{ pageRows, heldRows },
    partOf: (cell) => {
      if (!isHost(cell)) return 0;
      if (cell.cause === 'disk') return disk[kindOf(cell)];
      if (cell.cause === 'fault') return fault[kindOf(cell)];
      return RUNS.has(cell.cause) ? running : 0;
    },
    mostNs: mostOf(facts, limit),
  };
}

function isOwn({ phase, whose }: CostCell): boolean {
  return whose === 'main' && phase !== 'input' && phase !== 'idle';
}

/** Outside of CUDA calls, of its waits for input and for other ranks. */
function isHost({ phase, whose }: CostCell): boolean {
  return whose === 'main' && phase === 'other';
}

function kindOf({ activity = 'none' }: CostCell): number {
  return codeOf(hostKinds, activity);
}

/** By what the thread was busy with, how much of its host time of one cause is the waits `rows`, of off_cpu: 0…1. */
function sharesOf(facts: RankFacts, rows: readonly number[], cause: CostCause): number[] {
  const { isSample, kind, row, ns, length } = facts.host.evidence;
  const isMeant = new Set(rows);
  const sums = hostKinds.map(() => ({ all: 0, own: 0 }));
  for (let at = 0; at < length; at++)
    if (isSample[at] === 0 && isMeant.has(row[at]))
      sums[kind[at]].own += Math.min(ns[at], sleptNs(facts.trace, row[at]));
  for (const cell of facts.costs)
    if (isHost(cell) && cell.cause === cause) sums[kindOf(cell)].all += cell.ns;
  return sums.map(({ all, own }) => (all > 0 ? Math.min(1, own / all) : 0));
}

function waitsOf(facts: RankFacts, limit: MemoryLimit): Pick<OwnShortage, 'pageRows' | 'heldRows'> {
  const { trace, rank, hostTime } = facts;
  const { syscall, wakerContext, durationNs, startNs } = trace.tables.off_cpu.columns;
  const isInHostTime = withinCursor(hostTime);
  const [pageRows, heldRows]: number[][] = [[], []];
  for (const row of switchesWithin(facts, rank.mainThread)) {
    if (!isInHostTime(startNs[row], startNs[row]) || (syscall?.[row] ?? 0) >= 0) continue;
    const state = stateWhileAsleep(trace, row);
    const isOfFile = awaitedFile(trace, row) !== undefined;
    if (state === stateCode.disk && (isOfFile ? limit.isReadAgainByLoop : limit.isSwapping))
      pageRows.push(row);
    // A page, or the lock of the memory map, comes by another's doing: by a timer ends only what the kernel holds up.
    if (state === stateCode.uninterruptible && wakerContext?.[row] === TIMER) heldRows.push(row);
  }
  const byLength = (a: number, b: number) => durationNs[b] - durationNs[a];
  return { pageRows: pageRows.sort(byLength), heldRows: heldRows.sort(byLength) };
}

/**
 * All waits of its own that could be for pages, and as much of its time on a CPU as samples allow. Other ranks may have the same
 * limit, and it waits for them: then nothing bounds it.
 */
function mostOf(facts: RankFacts, { work }: MemoryLimit): number | undefined {
  const { trace, rank, window, split, main } = facts;
  const samples = [...samplesWithin(trace, rank.mainThread, window)];
  const ofLimit = samplesOfWork(facts, samples, work).length;
  if (split.collective > 0 || samples.length < SAMPLES_AT_LEAST || ofLimit === 0) return undefined;
  const waits = facts.costs.filter((cell) => isOwn(cell) && !OTHERS.has(cell.cause));
  const mostShare = 1 - sureShare(samples.length - ofLimit, samples.length);
  return waits.reduce((sum, { ns }) => sum + ns, mostShare * main.runningNs);
}
