import type { HotLine } from '../answers/diagnosis.ts';
import { formatShare } from '../text/units.ts';

/** Of what the share of a line is: one line may be told twice, of the time on a CPU and off it. */
function hotLineOf({ offCpuNs }: Pick<HotLine, 'offCpuNs'>): string {
  return offCpuNs === undefined
    ? 'of these threads’ CPU samples'
    : 'of their time off the CPU while they made batches';
}

/** `64.3 % of these threads’ CPU samples`: whose, the finding says. */
export function hotLineShare(line: Pick<HotLine, 'offCpuNs' | 'share'>): string {
  return `${formatShare(line.share, 1)} ${hotLineOf(line)}`;
}
