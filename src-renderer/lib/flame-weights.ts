import type { FlameTree } from '../../src-main/shared/answers/flame.ts';
import type { TraceSummary } from '../../src-main/shared/answers/summary.ts';
import type { FlameWeight } from '../../src-main/shared/library/view.ts';
import type { TableName } from '../../src-main/shared/model/schema.ts';
import { formatBytes, formatCount, formatDuration } from '../../src-main/shared/text/units.ts';
import { tableWords } from '../../src-main/shared/words/table-words.ts';
import { whyMissing } from '../../src-main/shared/words/why-missing.ts';

interface WeightSpec {
  readonly label: string;
  /** What its events are called. */
  readonly events: string;
  readonly table: TableName;
  readonly column?: string;
}

export const weights: Readonly<Record<FlameWeight, WeightSpec>> = {
  'cuda-time': { label: 'Time in CUDA calls', events: tableWords.cuda_call[1], table: 'cuda_call' },
  'cuda-bytes': {
    label: 'Bytes of CUDA calls',
    events: 'CUDA calls with a size',
    table: 'cuda_call',
    column: 'bytes',
  },
  'off-cpu-time': { label: 'Off-CPU time', events: tableWords.off_cpu[1], table: 'off_cpu' },
  'cpu-samples': { label: 'CPU samples', events: tableWords.cpu_sample[1], table: 'cpu_sample' },
};

/** Why this trace has no flame graph of a weight; `undefined` where it has. */
export function whyWithout(summary: TraceSummary, weight: FlameWeight): string | undefined {
  const { table, column, events } = weights[weight];
  const { rows, columns, columnProvenance } = summary.tables[table];
  if (rows === 0) return whyMissing(summary.tables, table, `This trace has no ${events}.`);
  for (const needed of ['stack', ...(column === undefined ? [] : [column])]) {
    if (columns.includes(needed)) continue;
    const what = needed === 'stack' ? 'Its stacks' : 'Their sizes';
    return columnProvenance[needed]?.note || `${what} are not recorded.`;
  }
  return undefined;
}

/** How often a stack was taken, where that was by the clock. */
export function samplingText(summary: TraceSummary, weight: FlameWeight): string {
  const { everyNs } = summary.tables[weights[weight].table].provenance;
  return everyNs === undefined ? '' : `one sample every ${formatDuration(everyNs)}`;
}

export function formatWeight(unit: FlameTree['unit'], value: number): string {
  if (unit === 'ns') return formatDuration(value);
  if (unit === 'bytes') return formatBytes(value);
  return `${formatCount(value)} ${value === 1 ? 'sample' : 'samples'}`;
}
