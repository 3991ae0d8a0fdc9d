import type { OperationStats } from '../../shared/answers/operations.ts';
import type { ProcessBreakdowns } from '../../shared/answers/process-breakdown.ts';
import type { GpuBusy, GpuWorked } from '../../shared/answers/summary.ts';
import { machinesOf } from '../../shared/model/hosts.ts';
import type { SourceFinding } from '../../shared/model/trace.ts';
import { severityCounts } from '../../shared/words/source-findings.ts';
import { notRealJson } from './not-real.ts';
import type { TraceInfo } from './trace-info.ts';

/** An integer as JSON can carry it exactly: a string beyond 2^53. */
function integer(value: number): number | string {
  return Number.isSafeInteger(value) ? value : String(BigInt(Math.round(value)));
}

/** What sums alone do not tell. */
function known(ns: number): number | string | null {
  return ns < 0 ? null : integer(ns);
}

function operationJson(stats: OperationStats) {
  return {
    source: stats.source,
    name: stats.name,
    ...(stats.recordedName !== undefined && { recordedName: stats.recordedName }),
    ...(stats.host !== undefined && { host: stats.host }),
    direction: stats.direction,
    count: integer(stats.count),
    ...(stats.counted && { recordedCount: integer(stats.counted.counted) }),
    ...(stats.counted?.totalNs !== undefined && {
      recordedTotalNs: integer(stats.counted.totalNs),
      ...(stats.counted.isAtLeast && { recordedTotalIsAtLeast: true }),
    }),
    ...(stats.counted?.maxNs !== undefined && { recordedMaxNs: integer(stats.counted.maxNs) }),
    ...(stats.counted?.bytes !== undefined && { recordedBytes: integer(stats.counted.bytes) }),
    bytes: integer(stats.bytes),
    totalNs: known(stats.totalNs),
    p50Ns: known(stats.p50Ns),
    p95Ns: known(stats.p95Ns),
    p99Ns: known(stats.p99Ns),
    maxNs: known(stats.maxNs),
    ...(stats.recorded && { onGpu: stats.recorded }),
    ...(stats.onlySums && { onlySums: true }),
  };
}

/** A mean of samples: whatever their table says, it is not exact. */
function gpuBusyJson({ tables }: TraceInfo['summary']) {
  const { kind, everyNs } = tables.sample.provenance;
  return (busy: GpuBusy) => ({
    ...busy,
    known: kind === 'exact' ? 'sampled' : kind,
    ...(everyNs !== undefined && { everyNs }),
  });
}

function gpuWorkedJson({ gpu, host, ...worked }: GpuWorked) {
  const { label, busyNs, computingNs, kernelNs, overNs, unknownNs } = worked;
  return {
    ...{ gpu, ...(host !== undefined && { host }), label },
    busyNs: integer(busyNs),
    computingNs: integer(computingNs),
    ...(kernelNs !== undefined && { kernelNs: integer(kernelNs) }),
    overNs: integer(overNs),
    unknownNs: integer(unknownNs),
    known: unknownNs === 0 ? 'exact' : 'partial',
  };
}

/** Of each thread of which a figure is known, what it did; times beyond 2^53 ns do not occur. */
function threadsJson({ processes }: ProcessBreakdowns) {
  return processes.flatMap(({ process, threads }) =>
    threads.flatMap(({ tid, name, role, thread: _, roleBasis: __, longestStall, ...figures }) =>
      Object.keys(figures).length === 0
        ? []
        : [
            {
              ...{ process, tid, name, role, ...figures },
              ...(longestStall !== undefined && { longestStall }),
            },
          ],
    ),
  );
}

/** A finding of the recording tool: its occurrences as counts by severity. */
export function sourceFindingJson({ occurrences, ...finding }: SourceFinding) {
  return {
    ...finding,
    occurrences: occurrences.length,
    severities: severityCounts({ occurrences }),
  };
}

/** The JSON of `info --json`: documented in docs/cli.md, fields are added, never renamed. */
export function infoJson(info: TraceInfo) {
  const { path, sizeBytes, summary, operations, breakdowns, nativeCode } = info;
  const begin = BigInt(summary.beginUnixNs);
  const machines = machinesOf(summary);
  return {
    file: { path, sizeBytes: integer(sizeBytes) },
    format: summary.format,
    version: summary.version,
    recorder: summary.recorder ?? null,
    ...notRealJson(summary),
    machine: machines[0],
    ...(machines.length > 1 && { machines }),
    ...(summary.clocks !== undefined && { clocks: summary.clocks }),
    timeRange: {
      beginUnixNs: begin > BigInt(Number.MAX_SAFE_INTEGER) ? String(begin) : Number(begin),
      lengthNs: integer(summary.lengthNs),
    },
    tables: Object.fromEntries(
      Object.entries(summary.tables).map(([name, table]) => [
        name,
        {
          rows: table.rows,
          provenance: table.provenance,
          columns: table.columns,
          columnProvenance: table.columnProvenance,
        },
      ]),
    ),
    processes: summary.processes,
    ...(breakdowns !== undefined && {
      threads: threadsJson(breakdowns),
      threadFigures: { bases: breakdowns.bases, note: breakdowns.note },
    }),
    gpuBusy: summary.gpuBusy.map(gpuBusyJson(summary)),
    gpuWorked: (summary.gpuWorked ?? []).map(gpuWorkedJson),
    operations: operations.map(operationJson),
    sourceFindings: summary.sourceFindings.map(sourceFindingJson),
    notices: summary.notices,
    capabilities: summary.capabilities,
    nativeCode,
  };
}
