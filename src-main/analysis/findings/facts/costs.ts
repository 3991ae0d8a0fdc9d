import type { Rank } from '../../../shared/answers/jobs.ts';
import { type Phase, phases as phaseNames } from '../../../shared/answers/steps.ts';
import { cycleCauses } from '../../../shared/answers/wait-chain.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { type InputCauses, inputCauses, whoseCodes } from '../../chain/input-causes.ts';
import type { Spans } from '../../index/spans.ts';
import type { Phases } from '../../steps/phases.ts';
import { type Charge, createCells } from './cost-cells.ts';
import type { CostCell } from './facts.ts';
import { mainCauses } from './main-causes.ts';

/** Where a stretch of the loop's time lies, and how much of it the device was idle, 0…1. */
interface Stretch {
  readonly phase: Phase;
  readonly call: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly idleShare: number;
}

/**
 * The rank's window by phase and cause. What a worker held up is charged to the worker's cause; all
 * else to the main thread's own. `idle` = undefined where nothing is known of the device.
 */
export function costsOf(
  trace: Trace,
  rank: Rank,
  phases: Phases,
  idle: Spans | undefined,
): CostCell[] {
  const cells = createCells();
  const idleShareOf = idleCursor(idle);
  const waits: Stretch[] = [];
  for (let at = 0; at < phases.startsNs.length; at++) {
    const startNs = phases.startsNs[at];
    const endNs = phases.endsNs[at];
    const phase = phaseNames[phases.phases[at]] ?? 'other';
    const call = phases.calls[at];
    const stretch = { phase, call, startNs, endNs, idleShare: idleShareOf(startNs, endNs) };
    if (phase === 'input') waits.push(stretch);
    else chargeMain(trace, rank, stretch, cells);
  }
  chargeInput(trace, rank, waits, cells);
  return cells.finish(idle !== undefined);
}

type Cells = ReturnType<typeof createCells>;

function chargeMain(trace: Trace, rank: Rank, stretch: Stretch, cells: Cells): void {
  const { phase, call, startNs, endNs, idleShare } = stretch;
  for (const told of mainCauses(trace, rank, phase, call, startNs, endNs)) {
    const starvedNs = told.ns * idleShare;
    cells.add({ phase, whose: 'main', ...told, starvedNs, startNs, endNs });
  }
}

function chargeInput(trace: Trace, rank: Rank, waits: readonly Stretch[], cells: Cells): void {
  const startsNs = Float64Array.from(waits, ({ startNs }) => startNs);
  const endsNs = Float64Array.from(waits, ({ endNs }) => endNs);
  const causes = inputCauses(trace, rank, startsNs, endsNs);
  waits.forEach((wait, at) => {
    for (let entry = causes.offsets[at]; entry < causes.offsets[at + 1]; entry++)
      cells.add(inputCharge(causes, entry, wait));
  });
}

function inputCharge(causes: InputCauses, entry: number, wait: Stretch): Charge {
  const { startNs, endNs, idleShare } = wait;
  const row = causes.rows[entry];
  return {
    phase: 'input',
    whose: whoseCodes[causes.whose[entry]],
    cause: cycleCauses[causes.causes[entry]],
    ns: causes.ns[entry],
    starvedNs: causes.ns[entry] * idleShare,
    startNs,
    endNs,
    event: row < 0 ? undefined : { table: 'off_cpu', row },
  };
}

/** The share of a stretch in which the device was idle; stretches are asked for in order of time. */
function idleCursor(idle: Spans | undefined): (startNs: number, endNs: number) => number {
  if (idle === undefined) return () => 0;
  const { startsNs, endsNs } = idle;
  let first = 0;
  return (startNs, endNs) => {
    while (first < startsNs.length && endsNs[first] <= startNs) first++;
    let idleNs = 0;
    for (let at = first; at < startsNs.length && startsNs[at] < endNs; at++)
      idleNs += Math.min(endsNs[at], endNs) - Math.max(startsNs[at], startNs);
    return endNs > startNs ? idleNs / (endNs - startNs) : 0;
  };
}
