import type { HostKind } from '../../../shared/answers/host-time.ts';
import type { Rank } from '../../../shared/answers/jobs.ts';
import { type Phase, phases as phaseNames } from '../../../shared/answers/steps.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { cycleCauses } from '../../../shared/answers/wait-chain.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { upperBound } from '../../../shared/numbers/bisect.ts';
import { type InputCauses, inputCauses, whoseCodes } from '../../chain/input-causes.ts';
import type { DeviceSpans } from '../../gpu/device-spans.ts';
import { type HostShares, type HostTime, visitPieces } from '../../host/host-time.ts';
import { type Spans, spansWithout, withinCursor } from '../../index/spans.ts';
import type { PhaseIntervals } from '../../loop/phase-list.ts';
import { drainedSpans } from '../../outstanding/drained.ts';
import { betweenLaunches, isLaunch } from '../../steps/idle-causes.ts';
import { type Charge, createCells } from './cost-cells.ts';
import type { CostCell } from './facts.ts';
import { type MainCause, mainCauses } from './main-causes.ts';

/** Where a stretch of the loop's time lies, and for what share of it the device …, 0…1. */
interface Stretch {
  readonly phase: Phase;
  readonly call: number;
  readonly startNs: number;
  readonly endNs: number;
  /** What it is a part of. */
  readonly span: TimeSpan;
  /** What the thread was busy with, of CUDA calls where it evaluates only: shares of its time on a CPU, or all of a wait. */
  readonly kinds: HostShares;
  /** Whether that is known by the GPU's own records. */
  readonly isRecorded: boolean;
  /** … was idle. */
  readonly idleShare: number;
  /** … computed. */
  readonly hiddenShare: number;
  /** … had run dry after a wait for it. */
  readonly drainedShare: number;
  /** … was idle otherwise while kernels were launched. */
  readonly launchingShare: number;
  /** … only copied from the host. */
  readonly copyingShare: number;
}

/** When the device was idle, and what it did by its own records; undefined where that is not known. */
export interface DeviceActivity {
  readonly idle: Spans | undefined;
  readonly recorded: DeviceSpans | undefined;
}

/** What is known of the loop's waits besides its phases. */
export interface LoopWaits {
  readonly host: HostTime;
  /** Where it waited in a collective for the rank that came last. */
  readonly awaited: Spans;
  /** Where it evaluated. */
  readonly evaluations: Spans;
  /** CPUs that the rank may use; 0 = not known. */
  readonly cpus: number;
}

export interface Costs {
  readonly cells: CostCell[];
  /** As `InputCauses.ahead`. */
  readonly ahead: number;
}

/**
 * The rank's window by phase and cause. What a worker held up is charged to the worker's cause; all
 * else to the main thread's own.
 */
export function costsOf(
  trace: Trace,
  rank: Rank,
  phases: PhaseIntervals,
  { idle, recorded }: DeviceActivity,
  { host, awaited, evaluations, cpus }: LoopWaits,
): Costs {
  const cells = createCells();
  const idleShareOf = shareCursor(idle);
  const hiddenShareOf = shareCursor(recorded?.computing);
  const drained = recorded && idle && drainedSpans(trace, rank, idle);
  const drainedShareOf = shareCursor(drained);
  const betweenShareOf = shareCursor(drained && spansWithout(betweenLaunches(idle), drained));
  const copyingShareOf = shareCursor(recorded && spansWithout(recorded.h2d, recorded.computing));
  const stretchOf = (at: number, startNs: number, endNs: number): Stretch => {
    const phase = phaseNames[phases.phases[at]] ?? 'other';
    const call = phases.calls[at];
    const idleShare = idleShareOf(startNs, endNs);
    const drainedShare = drainedShareOf(startNs, endNs);
    const betweenShare = betweenShareOf(startNs, endNs);
    const inLaunchShare = isLaunch(trace, call) ? Math.max(0, idleShare - drainedShare) : 0;
    return {
      ...{ phase, call, startNs, endNs, idleShare, drainedShare },
      span: [phases.startsNs[at], phases.endsNs[at]],
      kinds: [],
      isRecorded: recorded !== undefined,
      hiddenShare: hiddenShareOf(startNs, endNs),
      launchingShare: phase === 'other' ? betweenShare : drained ? inLaunchShare : 0,
      copyingShare: copyingShareOf(startNs, endNs),
    };
  };
  const evaluatesIn = withinCursor(evaluations);
  const waits: Stretch[] = [];
  for (let at = 0; at < phases.startsNs.length; at++) {
    const startNs = phases.startsNs[at];
    const endNs = phases.endsNs[at];
    const phase = phaseNames[phases.phases[at]] ?? 'other';
    const isWithin = evaluatesIn(startNs, endNs);
    if (phase === 'other') {
      visitPieces(host, startNs, endNs, (fromNs, toNs, known) => {
        const kinds = isWithin && known.length === 0 ? EVALUATES : known;
        chargeMain(trace, rank, { ...stretchOf(at, fromNs, toNs), kinds }, cells);
      });
      continue;
    }
    const kinds = isWithin ? EVALUATES : [];
    if (phase === 'collective') {
      visitAwaited(awaited, startNs, endNs, (fromNs, toNs, isAwaited) => {
        const part = { ...stretchOf(at, fromNs, toNs), kinds };
        if (isAwaited) chargeLate(trace, rank, part, cells);
        else chargeMain(trace, rank, part, cells);
      });
      continue;
    }
    const stretch = { ...stretchOf(at, startNs, endNs), kinds };
    // Memory that the loader allocates is known call by call.
    if (phase === 'input' && stretch.call < 0) waits.push(stretch);
    else chargeMain(trace, rank, stretch, cells);
  }
  const ahead = chargeInput(trace, rank, waits, cells, cpus);
  const known = { idle: idle !== undefined, computing: recorded !== undefined };
  return { cells: cells.finish(known), ahead };
}

type Cells = ReturnType<typeof createCells>;

const EVALUATES: Stretch['kinds'] = [{ kind: 'evaluation', share: 1 }];

function chargeMain(trace: Trace, rank: Rank, stretch: Stretch, cells: Cells): void {
  const { phase, call, startNs, endNs, span, kinds, idleShare, hiddenShare } = stretch;
  const [spanStartNs, spanEndNs] = span;
  // One object of one shape for each: of a large trace there are millions.
  const put = (told: MainCause, ns: number, shares: Shares, activity: HostKind | undefined) =>
    cells.add({
      phase,
      whose: 'main',
      cause: told.cause,
      activity,
      ns,
      starvedNs: ns * shares.idle,
      hiddenNs: ns * shares.hidden,
      startNs: spanStartNs,
      endNs: spanEndNs,
      event: told.event,
      isBound: told.isBound,
    });
  const add = (told: MainCause, shares: Shares) => {
    if (kinds.length === 0) put(told, told.ns, shares, undefined);
    else for (const { kind, share } of kinds) put(told, told.ns * share, shares, kind);
  };
  const lateNs = stretch.isRecorded ? Math.round((endNs - startNs) * idleShare) : undefined;
  const causes = mainCauses(trace, rank, phase, call, startNs, endNs, lateNs);
  const rested = lateNs === undefined ? stretch : withoutLate(stretch, causes);
  for (const told of causes) {
    const [drained, launching, copying] = byDevice(rested, told.cause);
    const rest = 1 - drained - launching - copying;
    if (rest === 1) {
      add(told, { idle: idleShare, hidden: hiddenShare });
      continue;
    }
    const part = (cause: MainCause['cause'], share: number, idle: number, hidden: number) => {
      if (share > 0) add({ ...told, cause, ns: told.ns * share }, { idle, hidden });
    };
    part('drained', drained, 1, 0);
    part('launching', launching, 1, 0);
    part('transfer', copying, 0, 0);
    const idle = Math.max(0, idleShare - drained - launching);
    part(told.cause, rest, Math.min(1, idle / rest), Math.min(1, hiddenShare / rest));
  }
}

/** Calls `visit` for the parts of [startNs, endNs) that lie in `awaited`, and for those between: they tile it, in order. */
function visitAwaited(
  awaited: Spans,
  startNs: number,
  endNs: number,
  visit: (startNs: number, endNs: number, isAwaited: boolean) => void,
): void {
  let reachedNs = startNs;
  for (let at = upperBound(awaited.endsNs, startNs); awaited.startsNs[at] < endNs; at++) {
    const fromNs = Math.max(reachedNs, awaited.startsNs[at]);
    const toNs = Math.min(endNs, awaited.endsNs[at]);
    if (fromNs > reachedNs) visit(reachedNs, fromNs, false);
    visit(fromNs, toNs, true);
    reachedNs = toNs;
  }
  if (endNs > reachedNs) visit(reachedNs, endNs, false);
}

/** Whatever the thread did until the last rank came in: it could not have gone on before. */
function chargeLate(trace: Trace, rank: Rank, stretch: Stretch, cells: Cells): void {
  const { phase, call, startNs, endNs, span, idleShare, hiddenShare } = stretch;
  const ns = endNs - startNs;
  const [{ event }] = mainCauses(trace, rank, phase, call, startNs, endNs);
  const shares = { starvedNs: ns * idleShare, hiddenNs: ns * hiddenShare };
  const charge = { phase, whose: 'main', cause: 'last-rank', ns, event, ...shares } as const;
  cells.add({ ...charge, startNs: span[0], endNs: span[1] });
}

/** Of some time, how much of it the device was idle, and computed. */
interface Shares {
  readonly idle: number;
  readonly hidden: number;
}

/** The stretch without what of its idle time went to waiting for a CPU in a wait for the GPU. */
function withoutLate(stretch: Stretch, causes: readonly MainCause[]): Stretch {
  if (stretch.phase !== 'compute') return stretch;
  const late = causes.filter(({ cause }) => isWaitForCpu(cause));
  const lateShare = late.reduce((sum, { ns }) => sum + ns, 0) / (stretch.endNs - stretch.startNs);
  if (lateShare === 0) return stretch;
  if (lateShare >= 1) return { ...stretch, drainedShare: 0, launchingShare: 0, copyingShare: 0 };
  const drainedShare = Math.max(0, stretch.drainedShare - lateShare) / (1 - lateShare);
  const copyingShare = Math.min(1 - drainedShare, stretch.copyingShare / (1 - lateShare));
  return { ...stretch, drainedShare, launchingShare: 0, copyingShare };
}

const isWaitForCpu = (cause: MainCause['cause']) => /^(runnable|throttled|idle-cpu)/.test(cause);

/**
 * The shares of a cause for which the GPU's own records tell more: it had run dry, or was kept waiting for
 * launches, or kept the thread waiting for a copy from the host.
 */
function byDevice(
  { phase, drainedShare, launchingShare, copyingShare }: Stretch,
  cause: MainCause['cause'],
): readonly [drained: number, launching: number, copying: number] {
  const isOwnWork = cause === 'running' || cause === 'unknown';
  if (phase === 'compute' && (cause === 'device' || isOwnWork))
    return [drainedShare, launchingShare, cause === 'device' ? copyingShare : 0];
  return phase === 'other' && isOwnWork ? [drainedShare, launchingShare, 0] : [0, 0, 0];
}

/** Answers `Costs.ahead`. */
function chargeInput(
  trace: Trace,
  rank: Rank,
  waits: readonly Stretch[],
  cells: Cells,
  cpus: number,
): number {
  const startsNs = Float64Array.from(waits, ({ startNs }) => startNs);
  const endsNs = Float64Array.from(waits, ({ endNs }) => endNs);
  const causes = inputCauses(trace, rank, startsNs, endsNs, cpus);
  waits.forEach((wait, at) => {
    for (let entry = causes.offsets[at]; entry < causes.offsets[at + 1]; entry++)
      cells.add(inputCharge(causes, entry, wait));
  });
  return causes.ahead;
}

function inputCharge(causes: InputCauses, entry: number, wait: Stretch): Charge {
  const { startNs, endNs, idleShare, hiddenShare } = wait;
  const row = causes.rows[entry];
  return {
    phase: 'input',
    whose: whoseCodes[causes.whose[entry]],
    cause: cycleCauses[causes.causes[entry]],
    ns: causes.ns[entry],
    starvedNs: causes.ns[entry] * idleShare,
    hiddenNs: causes.ns[entry] * hiddenShare,
    startNs,
    endNs,
    event: row < 0 ? undefined : { table: 'off_cpu', row },
  };
}

/** The share of a stretch that lies in `spans`; stretches are asked for in order of time. */
function shareCursor(spans: Spans | undefined): (startNs: number, endNs: number) => number {
  if (spans === undefined) return () => 0;
  const { startsNs, endsNs } = spans;
  let first = 0;
  return (startNs, endNs) => {
    while (first < startsNs.length && endsNs[first] <= startNs) first++;
    let ns = 0;
    for (let at = first; at < startsNs.length && startsNs[at] < endNs; at++)
      ns += Math.min(endsNs[at], endNs) - Math.max(startsNs[at], startNs);
    return endNs > startNs ? ns / (endNs - startNs) : 0;
  };
}
