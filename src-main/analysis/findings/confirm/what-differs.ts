import { type EarlierFinding, machineOf } from '../../../shared/answers/confirmation.ts';
import type { TraceSummary } from '../../../shared/answers/summary.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';

/** What else than the change may have made the second trace another one, in sentences. */
export function whatDiffers(
  before: EarlierFinding,
  summary: Pick<TraceSummary, 'gpus' | 'hosts' | 'beginUnixNs'>,
  ranks: number,
): string[] {
  const after = machineOf(summary);
  const told: string[] = [];
  if (BigInt(after.beginUnixNs) < BigInt(before.beginUnixNs))
    told.push('The second trace was recorded before the first one.');
  const [gpusBefore, gpusAfter] = [before.gpus, after.gpus].map((gpus) => gpus.join(', '));
  if (gpusBefore !== '' && gpusAfter !== '' && gpusBefore !== gpusAfter)
    told.push(`It is of other GPUs: ${gpusAfter} instead of ${gpusBefore}.`);
  const { cpuCount } = after;
  if (before.cpuCount !== undefined && cpuCount !== undefined && before.cpuCount !== cpuCount)
    told.push(`It is of ${plural(cpuCount, 'CPU')} instead of ${formatCount(before.cpuCount)}.`);
  if (before.ranks !== ranks)
    told.push(`It has ${plural(ranks, 'rank')} instead of ${formatCount(before.ranks)}.`);
  return told;
}
