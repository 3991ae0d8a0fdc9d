import type { Finding } from '../../shared/answers/diagnosis.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import { type Phase, phases } from '../../shared/answers/steps.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { phasesOf } from '../steps/phases.ts';
import type { Diagnosed } from './diagnose.ts';
import type { CostCause } from './facts/facts.ts';
import { mainCauses } from './facts/main-causes.ts';

/**
 * The findings that bear on CUDA call `call`: those that claim the kind of time it took, the one
 * that explains most of its time first.
 */
export function findingsOfCall(trace: Trace, { ranks }: Diagnosed, call: number): Finding[] {
  const { thread, startNs, durationNs } = trace.tables.cuda_call.columns;
  const owner = ranks.find(({ facts }) => facts.rank.cudaThreads.includes(thread[call]));
  if (owner === undefined) return [];
  const { rank } = owner.facts;
  const caller: Rank = { ...rank, mainThread: thread[call] };
  const phase = phaseOfCall(trace, rank, call);
  // While it was stopped in the call the thread was at no work of a phase.
  const phaseOf = (cause: CostCause) =>
    cause === 'stopped' && phase !== 'input' ? 'other' : phase;
  const endNs = startNs[call] + durationNs[call];
  const causes = mainCauses(trace, caller, phase, call, startNs[call], endNs);
  const explained = owner.claims.flatMap((claim) => {
    const ns = causes
      .filter(({ cause }) =>
        claim.cells.some(
          (cell) => cell.phase === phaseOf(cause) && cell.whose === 'main' && cell.cause === cause,
        ),
      )
      .reduce((sum, { ns }) => sum + ns, 0);
    const finding = owner.findings.find(({ id }) => id === claim.id);
    return ns > 0 && finding !== undefined ? [{ finding, ns }] : [];
  });
  return explained.sort((a, b) => b.ns - a.ns).map(({ finding }) => finding);
}

/** The phase in which the call's own thread was at its start. */
function phaseOfCall(trace: Trace, rank: Rank, call: number): Phase {
  const intervals = phasesOf(trace, rank);
  const at = upperBound(intervals.startsNs, trace.tables.cuda_call.columns.startNs[call]) - 1;
  return phases[intervals.phases[Math.max(0, at)]] ?? 'other';
}
