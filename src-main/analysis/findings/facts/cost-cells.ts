import type { HostKind } from '../../../shared/answers/host-time.ts';
import type { Phase } from '../../../shared/answers/steps.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { EventRef } from '../../../shared/model/event-ref.ts';
import type { CostCause, CostCell } from './facts.ts';

/** Spans and events of a cell that are kept, the longest. */
const KEPT = 50;

/** Names a cell: wall time of one phase with one cause. */
export function cellKey({
  phase,
  whose,
  cause,
  activity = 'none',
}: Pick<CostCell, 'phase' | 'whose' | 'cause' | 'activity'>): string {
  return `${phase} ${whose} ${cause} ${activity}`;
}

/** One stretch of wall time and what it went to. */
export interface Charge {
  readonly phase: Phase;
  readonly whose: 'main' | 'worker';
  readonly cause: CostCause;
  readonly activity?: HostKind | undefined;
  readonly ns: number;
  /** Of `ns`, with the device provably idle. */
  readonly starvedNs: number;
  /** Of `ns`, with the device computing beside it. */
  readonly hiddenNs: number;
  /** Where on the time line it was found: the stretch it is a part of. */
  readonly startNs: number;
  readonly endNs: number;
  readonly event?: EventRef | undefined;
  readonly isBound?: true | undefined;
}

interface Longest {
  readonly span: TimeSpan;
  readonly ns: number;
  readonly event: EventRef | undefined;
}

interface GrowingCell extends Pick<CostCell, 'phase' | 'whose' | 'cause' | 'activity'> {
  ns: number;
  starvedNs: number;
  hiddenNs: number;
  isBound: boolean;
  count: number;
  longest: Longest[];
}

/** Sums charges into cells; `ns` and `starvedNs` of the cells are those of all charges. */
export function createCells() {
  const cells: GrowingCell[] = [];
  // There are millions of charges and a few dozen cells: a key of text for each would take longest of all.
  const found = new Map<CostCause, GrowingCell[]>();
  function cellOf(charge: Charge): GrowingCell {
    const { phase, whose, cause } = charge;
    const activity = charge.activity === 'none' ? undefined : charge.activity;
    const ofCause = found.get(cause) ?? [];
    for (const cell of ofCause)
      if (cell.phase === phase && cell.whose === whose && cell.activity === activity) return cell;
    const cell: GrowingCell = {
      ...{ phase, whose, cause, ...(activity !== undefined && { activity }) },
      ...{ ns: 0, starvedNs: 0, hiddenNs: 0, isBound: false, count: 0, longest: [] },
    };
    ofCause.push(cell);
    found.set(cause, ofCause);
    cells.push(cell);
    return cell;
  }
  function add(charge: Charge): void {
    if (charge.ns <= 0) return;
    const cell = cellOf(charge);
    cell.ns += charge.ns;
    cell.starvedNs += charge.starvedNs;
    cell.hiddenNs += charge.hiddenNs;
    cell.isBound ||= charge.isBound === true;
    cell.count += 1;
    keepLongest(cell.longest, charge);
  }
  /** Largest first. */
  function finish(known: Known): CostCell[] {
    return cells.map((cell) => finished(cell, known)).sort((a, b) => b.ns - a.ns);
  }
  return { add, finish };
}

/** `longest` is in no order until it is full, then longest first. */
function keepLongest(longest: Longest[], { ns, startNs, endNs, event }: Charge): void {
  const isFull = longest.length === KEPT;
  if (isFull && ns <= longest[KEPT - 1].ns) return;
  if (isFull) longest.pop();
  const kept: Longest = { span: [startNs, endNs], ns, event };
  const at = longest.findIndex((other) => other.ns < ns);
  longest.splice(at === -1 ? longest.length : at, 0, kept);
}

/** What is known of the device: when it was idle, and when it computed. */
interface Known {
  readonly idle: boolean;
  readonly computing: boolean;
}

function finished(cell: GrowingCell, known: Known): CostCell {
  const { phase, whose, cause, activity, ns, starvedNs, hiddenNs, isBound, count, longest } = cell;
  const shown = longest.flatMap(({ event }) => event ?? []).slice(0, 10);
  return {
    phase,
    whose,
    cause,
    ...(activity !== undefined && { activity }),
    ns,
    starvedNs: known.idle ? starvedNs : -1,
    hiddenNs: known.computing ? hiddenNs : -1,
    ...(isBound && { isBound }),
    spans: longest.map(({ span }) => span),
    spanNs: longest.map(({ ns: spanNs }) => spanNs),
    count,
    events: { shown, count: shown.length === 0 ? 0 : count },
  };
}
