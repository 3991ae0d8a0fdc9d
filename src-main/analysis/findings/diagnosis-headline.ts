import type { Finding, RankDiagnosis } from '../../shared/answers/diagnosis.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, formatShare } from '../../shared/text/units.ts';
import { summedVerdict } from '../steps/summed-calls.ts';

/** One sentence: the verdict on the rank that waits most, and the finding that costs most. */
export function diagnosisHeadline(
  trace: Trace,
  verdict: Pick<RankDiagnosis, 'sentence'> | undefined,
  findings: readonly Finding[],
): string {
  if (verdict === undefined) {
    const summed = trace.tables.cuda_call.rows === 0 ? summedVerdict(trace, undefined) : undefined;
    if (summed !== undefined) return summed;
    return trace.tables.cuda_call.rows === 0
      ? 'This trace holds no CUDA calls, so it cannot tell what the GPU waited for.'
      : 'This trace does not say which process made its CUDA calls.';
  }
  const [costliest] = findings;
  if (costliest === undefined || costliest.costNs === 0) return verdict.sentence;
  const share = formatShare(costliest.costShare, 1);
  const cost = `${share} of the time (${formatDuration(costliest.costNs)})`;
  return `${verdict.sentence} ${costliest.title}: ${cost}.`;
}
