import type { FlameTree } from '../answers/flame.ts';
import type { TraceSummary } from '../answers/summary.ts';
import type { FlameWeight } from '../library/view.ts';
import type { TableName } from '../model/schema.ts';
import { formatBytes, formatCount, formatDuration, plural } from '../text/units.ts';
import { tableWords } from './table-words.ts';
import { whyMissing } from './why-missing.ts';

interface WeightSpec {
  readonly label: string;
  /** What its events are called. */
  readonly events: string;
  readonly table: TableName;
  readonly column?: string;
  /** The table whose threads and stacks its events have, where that is another one. */
  readonly stacksOf?: TableName;
}

export const weights: Readonly<Record<FlameWeight, WeightSpec>> = {
  'cuda-time': { label: 'Time in CUDA calls', events: tableWords.cuda_call[1], table: 'cuda_call' },
  'gpu-time': {
    label: 'GPU time asked for',
    events: 'GPU work',
    table: 'gpu_work',
    column: 'call',
    stacksOf: 'cuda_call',
  },
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
  const { table, column, events, stacksOf = table } = weights[weight];
  const { rows } = summary.tables[table];
  if (rows === 0) return whyMissing(summary.tables, table, `This trace has no ${events}.`);
  // GPU work stands below its call also where that has no stack.
  const needsStacks = weight !== 'gpu-time';
  return (
    (needsStacks ? whyNoColumn(summary, stacksOf, 'stack', NO_STACKS) : undefined) ??
    (column === undefined ? undefined : whyNoColumn(summary, table, column, NOT_KNOWN[column]))
  );
}

const NO_STACKS = 'Its stacks are not recorded.';

/** What is said of a column that the trace does not have. */
const NOT_KNOWN: Readonly<Record<string, string>> = {
  bytes: 'Their sizes are not recorded.',
  call: 'Which call asked for which GPU work is not recorded.',
};

function whyNoColumn(
  { tables }: TraceSummary,
  table: TableName,
  column: string,
  otherwise = 'It is not recorded.',
): string | undefined {
  const { columns, columnProvenance } = tables[table];
  return columns.includes(column) ? undefined : columnProvenance[column]?.note || otherwise;
}

/** What is missing from the weights of a flame graph, where its table is not whole. */
export function partialText(summary: TraceSummary, weight: FlameWeight): string {
  if (weight === 'off-cpu-time') return stacksText(summary);
  if (weight !== 'gpu-time') return '';
  const { kind, note } = summary.tables.gpu_work.provenance;
  if (kind === 'partial') return `Not all GPU work is recorded. ${note}`.trim();
  return hasKernels(summary) ? '' : 'Of what the GPU did, this trace has copies and fills only.';
}

/** Which waits have a stack, where not all do. */
function stacksText({ tables }: TraceSummary): string {
  const { kind, note } = tables.off_cpu.columnProvenance.stack ?? {};
  return kind === 'partial' && note ? `Not all waits have a stack. ${note}` : '';
}

function hasKernels({ gpuWork }: TraceSummary): boolean {
  const { kernel, graph, unknown } = gpuWork.counts;
  return kernel + graph + unknown > 0;
}

/** All that is drawn. */
export function drawnText({ weight, unit, totalWeight }: FlameTree): string {
  const all = formatWeight(unit, totalWeight);
  return weight === 'gpu-time' ? `${all} on the GPU` : `${all} with a stack`;
}

/** What has no place in the tree; empty where all has: `3 events without a stack (4.000 ms)`. */
export function undrawnText({ weight, withoutStack, unit }: FlameTree): string {
  const { events } = withoutStack;
  if (events === 0) return '';
  const why = weight === 'gpu-time' ? 'whose call is not recorded' : 'without a stack';
  return `${plural(events, 'event')} ${why} (${formatWeight(unit, withoutStack.weight)})`;
}

/** The table whose threads a weight can be narrowed to. */
export function threadTableOf(weight: FlameWeight): TableName {
  const { table, stacksOf = table } = weights[weight];
  return stacksOf;
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
