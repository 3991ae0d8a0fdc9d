import type { Rank } from '../../shared/answers/jobs.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { deviceSpans, ofAnyDevice } from '../gpu/device-spans.ts';
import { devicesOf } from '../gpu/devices.ts';
import { recordLimits } from '../gpu/record-limits.ts';
import { emptySpans, type Spans, spansWithout } from '../index/spans.ts';
import { opKinds } from '../loop/loop-calls.ts';
import { PHASE, type PhaseList } from '../loop/phase-list.ts';

const D2H = codeOf(directions, 'D2H');

/**
 * Puts down a CUDA call, from the end of `list` on: a wait for the GPU is one for the other ranks while the GPU, by its
 * own records, runs a collective and nothing else; all else is compute.
 */
export function waitPutter(
  trace: Trace,
  rank: Rank,
  list: PhaseList,
): (endNs: number, call: number) => void {
  const { startsNs, endsNs } = collectivesAlone(trace, rank);
  return (endNs, call) => {
    const first = waitsForGpu(trace, call) ? upperBound(endsNs, list.endNs) : startsNs.length;
    for (let at = first; startsNs[at] < endNs; at++) {
      list.until(startsNs[at], PHASE.compute, call);
      list.until(Math.min(endNs, endsNs[at]), PHASE.collective, call);
    }
    list.until(endNs, PHASE.compute, call);
  };
}

/** When the GPUs of `rank` ran collectives and computed nothing; empty where their records may lack what they computed. */
function collectivesAlone(trace: Trace, rank: Rank): Spans {
  if (trace.tables.gpu_work.rows === 0) return emptySpans;
  if (recordLimits(trace, rank.process).blind !== undefined) return emptySpans;
  const host = trace.processes[rank.process]?.host ?? 0;
  const used = devicesOf(trace).usedBy(rank.processes, host);
  const { collective, computing } = ofAnyDevice(used.map((device) => deviceSpans(trace, device)));
  return spansWithout(collective, computing);
}

function waitsForGpu(trace: Trace, call: number): boolean {
  const { op, direction } = trace.tables.cuda_call.columns;
  const kind = opKinds(trace)[op[call]];
  return kind === 'sync' || (kind === 'copy' && direction?.[call] === D2H);
}
