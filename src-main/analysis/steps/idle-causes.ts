import { type IdleCause, idleCauses } from '../../shared/answers/steps.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { type Spans, spansLength } from '../index/spans.ts';
import { opKinds } from '../loop/loop-calls.ts';
import { PHASE, type PhaseIntervals } from '../loop/phase-list.ts';

/**
 * A loop that launches kernel after kernel takes some 5 to 50 us of Python from one to the next: for so long
 * the GPU is idle each time. What leaves it idle for longer is other work of the host. Our own choice.
 */
const BETWEEN_LAUNCHES_NS = 100_000;

/**
 * A launch takes some 4 to 60 us. One that leaves the GPU idle for longer than this loads the kernel's code first, once
 * (https://docs.nvidia.com/cuda/cuda-c-programming-guide/#lazy-loading), or had no CPU. Our own choice.
 */
const LONGEST_LAUNCH_NS = 1_000_000;

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
      split[causeOf(trace, phases, at, toNs - fromNs)] +=
        Math.min(toNs, endsNs[at]) - Math.max(fromNs, startsNs[at]);
  }
  // What lies outside of the phases is not known to be anything else.
  const toldNs = idleCauses.reduce((sum, cause) => sum + split[cause], 0);
  split.host += spansLength(idle) - toldNs;
  return split;
}

/** What the thread does in interval `at` of its phases, where the GPU has nothing to do for `idleNs` about it. */
function causeOf(trace: Trace, phases: PhaseIntervals, at: number, idleNs: number): IdleCause {
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
      return idleNs < BETWEEN_LAUNCHES_NS ? 'launch' : 'host';
  }
}

function causeInCall(trace: Trace, call: number): IdleCause {
  const { op, direction, durationNs } = trace.tables.cuda_call.columns;
  switch (opKinds(trace)[op[call]]) {
    case 'launch':
    case 'fill':
      return durationNs[call] > LONGEST_LAUNCH_NS ? 'call' : 'launch';
    case 'graph':
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

/** Those of `idle` that are as short as the way from one launch to the next. */
export function betweenLaunches({ startsNs, endsNs }: Spans): Spans {
  const isBrief = (at: number) => endsNs[at] - startsNs[at] < BETWEEN_LAUNCHES_NS;
  return {
    startsNs: startsNs.filter((_, at) => isBrief(at)),
    endsNs: endsNs.filter((_, at) => isBrief(at)),
  };
}

/** Whether row `call` of cuda_call gives the GPU kernels to run. */
export function isLaunch(trace: Trace, call: number): boolean {
  return call >= 0 && causeInCall(trace, call) === 'launch';
}
