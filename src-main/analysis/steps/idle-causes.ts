import { type IdleCause, idleCauses } from '../../shared/answers/steps.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { type Spans, spansLength } from '../index/spans.ts';
import { opKinds } from './loop-calls.ts';
import { PHASE, type PhaseIntervals } from './phase-list.ts';

/**
 * A loop that launches kernel after kernel takes some 5 to 50 us of Python from one to the next; what takes
 * longer is other work of the host. Our own choice.
 */
const BETWEEN_LAUNCHES_NS = 100_000;

const D2H = codeOf(directions, 'D2H');

/** What the training thread did in `idle`, by the phases of its time: sums to the length of `idle`, to the ns. */
export function idleSplit(
  trace: Trace,
  phases: PhaseIntervals,
  idle: Spans,
): Readonly<Record<IdleCause, number>> {
  const split = Object.fromEntries(idleCauses.map((cause) => [cause, 0])) as Record<
    IdleCause,
    number
  >;
  const { startsNs, endsNs } = phases;
  for (let span = 0; span < idle.startsNs.length; span++) {
    const [fromNs, toNs] = [idle.startsNs[span], idle.endsNs[span]];
    for (let at = upperBound(endsNs, fromNs); startsNs[at] < toNs; at++)
      split[idleCauseOf(trace, phases, at)] +=
        Math.min(toNs, endsNs[at]) - Math.max(fromNs, startsNs[at]);
  }
  // What lies outside of the phases is not known to be anything else.
  const toldNs = idleCauses.reduce((sum, cause) => sum + split[cause], 0);
  split.host += spansLength(idle) - toldNs;
  return split;
}

/** What the thread does in interval `at` of its phases, should the GPU have nothing to do then. */
export function idleCauseOf(trace: Trace, phases: PhaseIntervals, at: number): IdleCause {
  switch (phases.phases[at]) {
    case PHASE.input:
      return 'input';
    case PHASE.h2d:
      return 'copy';
    case PHASE.collective:
      return 'collective';
    case PHASE.idle:
      return 'request';
    case PHASE.compute:
      return causeInCall(trace, phases.calls[at]);
    default:
      return isBetweenLaunches(trace, phases, at) ? 'launch' : 'host';
  }
}

function causeInCall(trace: Trace, call: number): IdleCause {
  const { op, direction } = trace.tables.cuda_call.columns;
  switch (opKinds(trace)[op[call]]) {
    case 'launch':
    case 'graph':
    case 'fill':
      return 'launch';
    case 'sync':
      return 'sync';
    case 'copy':
      return direction?.[call] === D2H ? 'sync' : 'copy';
    case 'allocate':
    case 'free':
      return 'allocate';
    default:
      return 'call';
  }
}

function isBetweenLaunches(
  trace: Trace,
  { startsNs, endsNs, calls, phases }: PhaseIntervals,
  at: number,
): boolean {
  if (phases[at] !== PHASE.other || endsNs[at] - startsNs[at] >= BETWEEN_LAUNCHES_NS) return false;
  const isLaunch = (call: number | undefined) =>
    call !== undefined && call >= 0 && causeInCall(trace, call) === 'launch';
  return isLaunch(calls[at - 1]) && isLaunch(calls[at + 1]);
}
