import type { HostKind } from '../../../shared/answers/host-time.ts';
import type { Phase } from '../../../shared/answers/steps.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { EventRef } from '../../../shared/model/event-ref.ts';
import type { CostCause, CostCell } from './facts.ts';

/** Spans of a cell that are kept, those with most of it. */
const KEPT = 50;
/** ns of a stretch have fewer binary digits. */
const MAX_LOG_NS = 64;
/** What is left is spread over stretches that nobody would count. Our own choice. */
const NEARLY_ALL = 0.95;
/** Events of a cell that are kept, the longest. */
const KEPT_EVENTS = 10;

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

/** A stretch, with the sum of its charges. */
interface SpanCost {
  readonly span: TimeSpan;
  readonly ns: number;
}

interface EventCost {
  readonly event: EventRef;
  readonly ns: number;
}

interface GrowingCell extends Pick<CostCell, 'phase' | 'whose' | 'cause' | 'activity'> {
  ns: number;
  starvedNs: number;
  hiddenNs: number;
  isBound: boolean;
  count: number;
  /** The stretch that the last charges were of: those of one follow each other. */
  lastStartNs: number;
  lastEndNs: number;
  lastNs: number;
  /** Stretches before the last, and the ns of their charges, by the binary logarithm of those. */
  readonly counts: Uint32Array;
  readonly sums: Float64Array;
  longest: SpanCost[];
  events: EventCost[];
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
      ...{ ns: 0, starvedNs: 0, hiddenNs: 0, isBound: false, count: 0, longest: [], events: [] },
      ...{ lastStartNs: -1, lastEndNs: -1, lastNs: 0 },
      ...{ counts: new Uint32Array(MAX_LOG_NS), sums: new Float64Array(MAX_LOG_NS) },
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
    addToSpan(cell, charge);
    const { event, ns } = charge;
    if (event !== undefined && isKept(cell.events, ns, KEPT_EVENTS))
      keepLongest(cell.events, { event, ns }, KEPT_EVENTS);
  }
  /** Largest first. */
  function finish(known: Known): CostCell[] {
    for (const cell of cells) keepLast(cell);
    return cells.map((cell) => finished(cell, known)).sort((a, b) => b.ns - a.ns);
  }
  return { add, finish };
}

function addToSpan(cell: GrowingCell, { startNs, endNs, ns }: Charge): void {
  if (cell.lastNs > 0 && cell.lastStartNs === startNs && cell.lastEndNs === endNs) {
    cell.lastNs += ns;
    return;
  }
  keepLast(cell);
  cell.lastStartNs = startNs;
  cell.lastEndNs = endNs;
  cell.lastNs = ns;
}

/** Nothing more is added to the last stretch. */
function keepLast({ longest, counts, sums, lastStartNs, lastEndNs, lastNs: ns }: GrowingCell) {
  if (ns <= 0) return;
  const size = Math.min(MAX_LOG_NS - 1, Math.floor(Math.log2(ns + 1)));
  counts[size] += 1;
  sums[size] += ns;
  if (isKept(longest, ns, KEPT)) keepLongest(longest, { span: [lastStartNs, lastEndNs], ns }, KEPT);
}

/** How many of the stretches, those with most of it, have nearly all of it: with those that have half as much as the last of them. */
function tellingSpans({ ns, counts, sums }: Pick<GrowingCell, 'ns' | 'counts' | 'sums'>): number {
  let [size, count, sumNs] = [MAX_LOG_NS, 0, 0];
  while (size > 0 && sumNs < ns * NEARLY_ALL) {
    size -= 1;
    count += counts[size];
    sumNs += sums[size];
  }
  return count;
}

/** Whether `ns` is among the most so far; `longest` has most first. */
const isKept = (longest: readonly { readonly ns: number }[], ns: number, most: number): boolean =>
  longest.length < most || ns > longest[most - 1].ns;

function keepLongest<T extends { readonly ns: number }>(longest: T[], kept: T, most: number): void {
  if (longest.length === most) longest.pop();
  const at = longest.findIndex((other) => other.ns < kept.ns);
  longest.splice(at === -1 ? longest.length : at, 0, kept);
}

/** What is known of the device: when it was idle, and when it computed. */
interface Known {
  readonly idle: boolean;
  readonly computing: boolean;
}

function finished(cell: GrowingCell, known: Known): CostCell {
  const { phase, whose, cause, activity, ns, starvedNs, hiddenNs, isBound, count } = cell;
  const { longest } = cell;
  const shown = cell.events.map(({ event }) => event);
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
    spanCount: tellingSpans(cell),
    count,
    events: { shown, count: shown.length === 0 ? 0 : count },
  };
}
