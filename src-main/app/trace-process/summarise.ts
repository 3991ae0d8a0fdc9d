import { completeRanges } from '../../analysis/coverage/complete-ranges.ts';
import { lossNotices } from '../../analysis/coverage/recording-losses.ts';
import { gpuWorked } from '../../analysis/gpu/gpu-worked.ts';
import { workerPlaceOf } from '../../analysis/jobs/job-index.ts';
import { gpuBusy } from '../../analysis/operations/gpu-busy.ts';
import type { SummaryProcess, TableSummary, TraceSummary } from '../../shared/answers/summary.ts';
import { hostClocks } from '../../shared/model/clocks.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { clockNotices } from '../../shared/words/clock-words.ts';
import { gpuWorkSummary } from './gpu-work-summary.ts';
import { hasSummedCalls } from './summed-calls.ts';

/** Everything of `trace` that is not bulk. */
export function summarise(trace: Trace): TraceSummary {
  const { meta } = trace;
  const clocks = hostClocks(trace);
  const worked = trace.tables.gpu_work.rows > 0 ? gpuWorked(trace) : [];
  return {
    // What is in a converted file follows the rules of what it was.
    format: meta.convertedFrom ?? meta.format,
    version: meta.convertedFrom === undefined ? meta.version : `as Stalltrace ${meta.version}`,
    ...(meta.recorder !== undefined && { recorder: meta.recorder }),
    beginUnixNs: String(meta.beginUnixNs),
    lengthNs: meta.lengthNs,
    ...(meta.synthetic !== undefined && { synthetic: meta.synthetic }),
    ...(meta.simulated !== undefined && { simulated: meta.simulated }),
    hosts: trace.hosts,
    ...(clocks !== undefined && { clocks }),
    cpus: trace.cpus,
    gpus: trace.gpus,
    processes: trace.processes.map((process, index) => withWorkerNumber(trace, process, index)),
    threads: trace.threads,
    names: trace.names,
    nameSources: trace.nameSources,
    streams: trace.streams.map(({ name }) => name),
    gpuWork: gpuWorkSummary(trace),
    tables: Object.fromEntries(
      tableNames.map((name) => [name, summariseTable(trace, name)]),
    ) as Record<TableName, TableSummary>,
    hasSummedCalls: hasSummedCalls(trace),
    coverage: completeRanges(trace),
    gpuBusy: gpuBusy(trace),
    ...(worked.length > 0 && { gpuWorked: worked }),
    sourceFindings: trace.sourceFindings,
    notices: [...clockNotices(trace, clocks), ...trace.notices, ...lossNotices(trace)],
    capabilities: trace.capabilities,
  };
}

function summariseTable(trace: Trace, name: TableName): TableSummary {
  const table = trace.tables[name];
  const present = Object.entries(table.columns).filter(([, column]) => column !== undefined);
  return {
    rows: table.rows,
    columns: present.map(([column]) => column),
    provenance: table.provenance,
    columnProvenance: table.columnProvenance,
  };
}

function withWorkerNumber(trace: Trace, process: ProcessInfo, index: number): SummaryProcess {
  const place = workerPlaceOf(trace, index);
  return place === undefined ? process : { ...process, worker: place.number };
}
