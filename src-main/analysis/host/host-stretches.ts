import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type Spans, withinCursor } from '../index/spans.ts';
import { isH2d } from '../loop/loop-calls.ts';
import { PHASE } from '../loop/phase-list.ts';
import type { Phases } from '../steps/phases.ts';

/** The training thread's other time, stretch by stretch: in no CUDA call, waiting for no input. In order, disjoint. */
export interface HostStretches {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** What is judged. */
  readonly window: TimeSpan;
  /** 1 = between a batch's arrival and its copy to the GPU. */
  readonly isPreparing: Uint8Array;
  /** 1 = while it evaluated. */
  readonly isEvaluating: Uint8Array;
}

export function hostStretches(
  trace: Trace,
  { startsNs, endsNs, phases, calls, summary }: Phases,
  evaluations: Spans,
): HostStretches {
  const count = phases.reduce((sum, phase) => sum + (phase === PHASE.other ? 1 : 0), 0);
  const found = {
    window: summary.window,
    startsNs: new Float64Array(count),
    endsNs: new Float64Array(count),
    isPreparing: new Uint8Array(count),
    isEvaluating: new Uint8Array(count),
  };
  const isWithin = withinCursor(evaluations);
  for (let each = 0, at = 0; each < phases.length; each++) {
    if (phases[each] !== PHASE.other) continue;
    const call = calls[each + 1] ?? -1;
    const isFresh = phases[each - 1] === PHASE.input;
    found.startsNs[at] = startsNs[each];
    found.endsNs[at] = endsNs[each];
    found.isEvaluating[at] = isWithin(startsNs[each], endsNs[each]) ? 1 : 0;
    found.isPreparing[at++] = isFresh && call >= 0 && isH2d(trace, call) ? 1 : 0;
  }
  return found;
}
