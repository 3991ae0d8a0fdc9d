import {
  codeOf,
  directions,
  gpuWorkKinds,
  memoryKinds,
} from '../../src-main/shared/model/codes.ts';
import { rowCount } from '../../src-main/shared/model/columns.ts';
import { cudaOpKind } from '../../src-main/shared/model/cuda-ops.ts';
import { columnSpecs, type TableName, tableNames } from '../../src-main/shared/model/schema.ts';
import type { Provenance, Table, Tables, Trace } from '../../src-main/shared/model/trace.ts';
import { columnsOf, type EventRow } from './event-rows.ts';

/** What a recorder inside the job can add to the calls. */
export interface InsideOptions {
  /** The GPU's own records, as CUPTI gives them: joined to calls by correlation ids only. */
  readonly gpuRecords: boolean;
}

const sums: Provenance = {
  kind: 'exact',
  note: 'the kernel’s own counters of the thread, read at entry and return of copies, waits, allocations and frees; launches are not measured',
};

const kept: Partial<Record<TableName, Provenance>> = {
  cuda_call: { kind: 'exact', note: 'every runtime call of the job' },
  gpu_work: { kind: 'exact', note: 'CUPTI activity records; CUPTI converted the GPU’s clock' },
  range: { kind: 'exact', note: 'NVTX ranges of the job' },
};

const notSeen = (what: string): Provenance => ({
  kind: 'absent',
  note: `${what} cannot be seen from inside the container: the kernel gives it to nobody without privilege.`,
});

const missing: Partial<Record<TableName, Provenance>> = {
  off_cpu: notSeen('When a thread left and got a CPU'),
  on_cpu: notSeen('Who held a CPU'),
  wakeup: notSeen('Who woke a thread'),
  page_fault: notSeen('Each page fault'),
};

/**
 * The same job as a library that the job itself has loaded records it, in a container where nothing
 * of the kernel may be traced: its CUDA calls with sums measured around them, and no intervals.
 */
export function seenFromInside(trace: Trace, { gpuRecords }: InsideOptions): Trace {
  const calls = callRows(trace);
  const rows: Partial<Record<TableName, EventRow[]>> = {
    cuda_call: calls,
    range: rowsOf(trace, 'range'),
    ...(gpuRecords && { gpu_work: workOf(trace, calls) }),
  };
  const table = (name: TableName): Table<TableName> => {
    const columns = columnsOf(name, rows[name] ?? []);
    const provenance =
      rows[name] === undefined
        ? (missing[name] ?? { kind: 'absent', note: 'not recorded from inside the job' })
        : (kept[name] ?? { kind: 'exact', note: '' });
    const columnProvenance: Record<string, Provenance> =
      name === 'cuda_call'
        ? { offCpuNs: sums, runQueueNs: sums, minorFaults: sums, majorFaults: sums }
        : {};
    return {
      ...{ rows: rowCount(columns), columns, provenance, columnProvenance },
      recordedAs: { source: '', op: '' },
    };
  };
  const tables = Object.fromEntries(tableNames.map((name) => [name, table(name)]));
  return {
    ...trace,
    meta: { ...trace.meta, recorder: 'Stalltrace, from inside the job (simulated)' },
    contexts: [{ process: 0, gpu: 0 }],
    streams: [{ name: 'stream 7', context: 0 }],
    processes: trace.processes.slice(0, 1),
    threads: trace.threads.filter(({ process }) => process === 0),
    tables: tables as unknown as Tables,
  };
}

function rowsOf(trace: Trace, table: TableName): EventRow[] {
  const { columns, rows } = trace.tables[table];
  const arrays = columns as unknown as Readonly<Record<string, ArrayLike<number> | undefined>>;
  const names = columnSpecs(table).map(([name]) => name);
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = arrays[name]?.[row];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  );
}

/** Runtime calls with a correlation id each; launches are too many and too short to be measured. */
function callRows(trace: Trace): EventRow[] {
  return rowsOf(trace, 'cuda_call')
    .filter(({ parent }) => parent === -1)
    .map((row, at) => {
      const isLaunch = cudaOpKind(trace.names[row.op ?? -1] ?? '') === 'launch';
      const { hostMemory: _, ...known } = row;
      const unmeasured = { offCpuNs: -1, runQueueNs: -1, minorFaults: -1, majorFaults: -1 };
      return { ...known, correlation: 100 + at, ...(isLaunch && unmeasured) };
    });
}

/** What the GPU did for copies and launches, one after the other as one stream does them. */
function workOf(trace: Trace, calls: readonly EventRow[]): EventRow[] {
  const work: EventRow[] = [];
  let freeNs = 0;
  calls.forEach(({ startNs = 0, durationNs = 0, op = -1, ...call }, at) => {
    const kind = cudaOpKind(trace.names[op] ?? '');
    if (kind !== 'copy' && kind !== 'launch') return;
    const isCopy = kind === 'copy';
    const toDevice = call.direction === codeOf(directions, 'H2D');
    const beganNs = Math.max(freeNs, startNs + (isCopy ? durationNs * 0.4 : durationNs));
    const took = isCopy ? Math.max(1_500, durationNs * 0.55) : 500_000 + (at % 7) * 100_000;
    freeNs = Math.round(beganNs + took);
    const [host, device] = [codeOf(memoryKinds, 'pageable'), codeOf(memoryKinds, 'device')];
    work.push({
      ...{ startNs: Math.round(beganNs), durationNs: Math.round(took), op, gpu: 0, stream: 0 },
      ...{ process: 0, context: 0, correlation: call.correlation ?? 0 },
      kind: codeOf(gpuWorkKinds, isCopy ? 'copy' : 'kernel'),
      ...(isCopy
        ? {
            ...{ bytes: call.bytes ?? -1, direction: call.direction ?? 0 },
            sourceMemory: toDevice ? host : device,
            destinationMemory: toDevice ? device : host,
          }
        : { gridX: 1_024, gridY: 2, gridZ: 1, blockX: 256, blockY: 1, blockZ: 1 }),
    });
  });
  return work;
}
