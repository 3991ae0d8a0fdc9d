import { allocateColumns, rowCount } from '../../src-main/shared/model/columns.ts';
import { type TableName, tableNames } from '../../src-main/shared/model/schema.ts';
import type {
  ProcessInfo,
  Provenance,
  Table,
  Tables,
  ThreadInfo,
  Trace,
} from '../../src-main/shared/model/trace.ts';
import { columnsOf, type EventRow } from './event-rows.ts';
import type { Recorder } from './recorder.ts';

const BEGIN_UNIX_NS = 1_768_644_000_000_000_000n;
const GIB = 2 ** 30;

const SYNTHETIC =
  'Simulated by resources/sample/scenario.ts, seed 2: no machine was recorded, and the durations are invented.';

const simulated: Provenance = { kind: 'exact', note: 'every event of the simulation' };

const notes: Partial<Record<TableName, Provenance>> = {
  on_cpu: {
    kind: 'exact',
    note: 'every task of the simulation on all four CPUs: time without a slice is idle',
  },
  cpu_sample: {
    kind: 'sampled',
    everyNs: 20_408_163,
    note: '49 Hz on the threads of the job, Python and native frames',
  },
  sample: { kind: 'sampled', everyNs: 100_000_000, note: 'CPU, memory and GPU ten times a second' },
  aggregate: {
    kind: 'aggregated',
    everyNs: 1_000_000_000,
    note: 'page allocations of the workers, counted per second',
  },
  gpu_work: {
    kind: 'absent',
    note: 'the kernel and the CUDA API do not show what runs on the GPU',
  },
  wakeup: { kind: 'absent', note: 'wake-ups stand in off_cpu, with who woke the thread' },
  page_fault: { kind: 'absent', note: 'page faults are counted per CUDA call, not kept singly' },
  page_alloc: { kind: 'absent', note: 'page allocations are counted per second, see aggregate' },
  syscall: { kind: 'absent', note: 'not switched on: the system call of each wait is in off_cpu' },
};

const sources: Partial<Record<TableName, string>> = { cuda_call: 'CUDA', block_io: 'IO' };
const ops: Partial<Record<TableName, string>> = {
  off_cpu: 'sched_switch',
  on_cpu: 'sched_slice',
  page_alloc: 'mm_page_alloc',
};

/** Calls in order of start, an outer one before those inside it, with rows for parents. */
function callRows({ calls }: Recorder): EventRow[] {
  const depth = (call: (typeof calls)[number]) => (call.call.parent === undefined ? 0 : 1);
  const sorted = [...calls].sort(
    (left, right) =>
      (left.row.startNs ?? 0) - (right.row.startNs ?? 0) || depth(left) - depth(right),
  );
  const rowOf = new Map(sorted.map(({ call }, row) => [call, row]));
  return sorted.map(({ call, row }) => ({
    ...row,
    parent: call.parent === undefined ? -1 : (rowOf.get(call.parent) ?? -1),
  }));
}

function buildTables(recorder: Recorder): Tables {
  const entries = tableNames.map((name) => {
    const rows = name === 'cuda_call' ? callRows(recorder) : recorder.rows[name];
    const columns = rows === undefined ? allocateColumns(name, 0) : columnsOf(name, rows);
    const table: Table<TableName> = {
      rows: rowCount(columns),
      columns,
      provenance: notes[name] ?? simulated,
      columnProvenance:
        name === 'cuda_call'
          ? { hostMemory: { kind: 'exact', note: 'known to the simulation' } }
          : {},
      recordedAs: { source: sources[name] ?? 'HOST', op: ops[name] ?? name },
    };
    return [name, table] as const;
  });
  return Object.fromEntries(entries) as unknown as Tables;
}

/** Adds birth and death to whoever has them. */
function withLife<T extends object>(value: T, startNs?: number, endNs?: number): T {
  return {
    ...value,
    ...(startNs === undefined ? {} : { startNs }),
    ...(endNs === undefined ? {} : { endNs }),
  };
}

/** The trace of a simulation that is over. */
export function buildTrace(
  recorder: Recorder,
  births: ReadonlyMap<number, number>,
  endNs: number,
  processes: readonly ProcessInfo[],
  threads: readonly ThreadInfo[],
): Trace {
  const { texts } = recorder;
  const tables = buildTables(recorder);
  const ended = (thread: number) => recorder.endNs.get(thread);
  return {
    meta: {
      format: 'Stalltrace',
      version: '1',
      recorder: 'Stalltrace sample generator',
      beginUnixNs: BEGIN_UNIX_NS,
      lengthNs: endNs,
      synthetic: SYNTHETIC,
    },
    hosts: [
      {
        hostname: 'simulated-host',
        os: 'Ubuntu 24.04 LTS (simulated)',
        kernel: '6.8.0-51-generic (simulated)',
        cpuModel: 'four virtual CPUs (simulated)',
        cpuCount: 4,
        memoryBytes: 16 * GIB,
        cudaVersion: '12.4',
        pythonVersion: '3.12.3',
      },
    ],
    cpus: [],
    gpus: [
      {
        model: 'NVIDIA GeForce RTX 4090 (simulated)',
        memoryBytes: 24 * GIB,
        driver: '550.144.03',
      },
    ],
    clocks: [],
    jobs: [],
    contexts: [],
    processes: processes.map((process, index) => {
      const first = threads.findIndex((thread) => thread.process === index);
      const last = threads.flatMap((thread, position) =>
        thread.process === index ? [ended(position)] : [],
      );
      const end = last.includes(undefined) ? undefined : Math.max(...last.map((ns) => ns ?? 0));
      return withLife(process, births.get(first), end);
    }),
    threads: threads.map((thread, index) => withLife(thread, births.get(index), ended(index))),
    names: texts.names,
    nameSources: texts.sources,
    streams: [{ name: 'stream 7', context: -1 }],
    stacks: texts.stacks.build(),
    tables,
    capabilities: [],
    sourceFindings: [],
    notices: [{ level: 'info', text: SYNTHETIC }],
  };
}
