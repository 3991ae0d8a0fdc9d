import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import type { TableSummary, TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import { formatCount, formatDuration, formatShare } from '../../../src-main/shared/text/units.ts';
import {
  busyBasis,
  busyGpuName,
  busyRange,
  workedFigure,
} from '../../../src-main/shared/words/gpu-busy-words.ts';
import { hasSumsOnly } from '../../../src-main/shared/words/no-calls.ts';
import { onHost } from '../../../src-main/shared/words/on-host.ts';
import { OFF_CPU } from '../../../src-main/shared/words/terms.ts';

export interface KeyFigure {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** The CUDA call to select. */
  readonly call?: number;
}

/** The figures a reader asks for first. Every one is this file's own. `operations`: undefined until they are known. */
export function keyFigures(
  summary: TraceSummary,
  operations: readonly OperationStats[] | undefined,
): KeyFigure[] {
  const { off_cpu: offCpu, cuda_call: calls } = summary.tables;
  const ofCalls = operations ? slowest(operations) : calls.rows > 0 ? NOT_KNOWN_YET : [];
  const figures: KeyFigure[] = [cudaCalls(summary), ...ofCalls, ...gpusBusy(summary)];
  if (offCpu.provenance.kind !== 'absent') figures.push(offCpuIntervals(offCpu));
  return figures;
}

function cudaCalls(summary: TraceSummary): KeyFigure {
  const { rows, provenance } = summary.tables.cuda_call;
  const { kind, note } = provenance;
  const label = 'CUDA calls';
  if (hasSumsOnly(summary)) return { label, value: 'sums only', note };
  const isUnknown = kind === 'absent' || kind === 'aggregated';
  if (isUnknown && rows === 0) return { label, value: 'not recorded', note };
  return { label, value: formatCount(rows), note: kind };
}

function offCpuIntervals({ rows, provenance: { kind, note } }: TableSummary): KeyFigure {
  const label = `${OFF_CPU} intervals`;
  if (kind === 'aggregated' && rows === 0) return { label, value: 'sums only', note };
  return { label, value: formatCount(rows), note: `${kind}, whole file` };
}

function gpusBusy(summary: TraceSummary): KeyFigure[] {
  const { gpuBusy, gpuWorked, tables } = summary;
  if (gpuWorked !== undefined)
    return gpuWorked.map((worked) => {
      const { share, note } = workedFigure(worked);
      return { label: `${worked.label} busy`, value: share, note };
    });
  if (gpuBusy.length === 0) {
    const note = 'this trace has no samples of GPU utilisation';
    return [{ label: 'GPU busy', value: 'not recorded', note }];
  }
  return gpuBusy.map((busy) => ({
    label: `${busyGpuName(busy, summary)} busy`,
    value: formatShare(busy.meanPercent, 100),
    note: `mean; ${busyRange(busy)}, ${busyBasis(tables.sample.provenance)}`,
  }));
}

const SLOWEST = 'Slowest CUDA call';
const HEAVIEST = 'Most time in';
/** They keep their place: what stands beside them doesn't move when they come. */
const NOT_KNOWN_YET: readonly KeyFigure[] = [SLOWEST, HEAVIEST].map((label) => ({
  label,
  value: '…',
  note: 'being worked out',
}));

function slowest(operations: readonly OperationStats[]): KeyFigure[] {
  const calls = withoutSizes(operations);
  const top = calls.toSorted((a, b) => b.maxNs - a.maxNs)[0];
  const heaviest = calls.toSorted((a, b) => b.totalNs - a.totalNs)[0];
  if (top === undefined || heaviest === undefined) return [];
  const layer = operations.filter(
    ({ source, host }) => source === heaviest.source && host === heaviest.host,
  );
  const layerNs = layer.reduce((sum, { totalNs }) => sum + totalNs, 0);
  // What is stored of a selection is no share of what happened.
  const share = layer.some(({ counted }) => counted !== undefined)
    ? ' in the stored ones'
    : `, ${formatShare(heaviest.totalNs, layerNs)} of ${heaviest.source} time`;
  return [
    {
      label: SLOWEST,
      value: formatDuration(top.maxNs),
      note: `${wayOf(top)}${top.name}${onHost(top)}`,
      call: top.slowestCall,
    },
    {
      label: HEAVIEST,
      value: heaviest.name,
      note: `${wayOf(heaviest)}${formatDuration(heaviest.totalNs)}${share}${onHost(heaviest)}`,
      call: heaviest.slowestCall,
    },
  ];
}

interface CallFigures {
  readonly source: string;
  readonly name: string;
  readonly host: string | undefined;
  readonly direction: OperationStats['direction'];
  readonly totalNs: number;
  readonly maxNs: number;
  readonly slowestCall: number;
}

/** CUDA calls with their size buckets put together: the figures don't depend on how the table is split. */
function withoutSizes(operations: readonly OperationStats[]): CallFigures[] {
  const merged = new Map<string, CallFigures>();
  for (const { source, name, host, direction, totalNs, maxNs, slowestCall } of operations) {
    if (slowestCall === undefined) continue;
    const key = JSON.stringify([source, name, host, direction]);
    const before = merged.get(key);
    const slower = before === undefined || maxNs > before.maxNs ? { maxNs, slowestCall } : before;
    merged.set(key, {
      source,
      name,
      host,
      direction,
      totalNs: totalNs + (before?.totalNs ?? 0),
      maxNs: slower.maxNs,
      slowestCall: slower.slowestCall,
    });
  }
  return [...merged.values()];
}

function wayOf({ direction }: CallFigures): string {
  return direction === null || direction === 'none' ? '' : `${direction} `;
}
