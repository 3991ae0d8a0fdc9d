import { codeOf, cudaLayers, directions } from '../../../src-main/shared/model/codes.ts';
import {
  allocateColumns,
  type Columns,
  reorderColumns,
} from '../../../src-main/shared/model/columns.ts';
import { type TableName, tableNames } from '../../../src-main/shared/model/schema.ts';
import type {
  ProcessInfo,
  Table,
  Tables,
  ThreadInfo,
  Trace,
} from '../../../src-main/shared/model/trace.ts';
import { orderByStart } from '../../../src-main/trace/build/sort-rows.ts';
import { StackBuilder } from '../../../src-main/trace/build/stacks.ts';

/**
 * Traces of any size in the mix of a real capture, straight into typed arrays. The shapes are
 * plausible, the contents are not consistent with each other: for speed, not for analysis.
 */

const USUAL_THREADS = 12;
const CPUS = 8;
/** Mean time between two events of the whole machine. */
const EVENT_EVERY_NS = 10_000;

/** Share of all events, in thousandths. */
const mix = { cuda_call: 220, off_cpu: 250, on_cpu: 330, cpu_sample: 50, page_fault: 150 } as const;
type Filled = keyof typeof mix;

const OPS = ['cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaStreamSynchronize', 'cudaMalloc'] as const;

/** Numbers in [0, 1): mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = ReturnType<typeof createRandom>;

/**
 * Gives each of `lanes` (threads, CPUs) intervals that follow one another; calls `visit` for each
 * row. Rows are sorted by start afterwards.
 */
function fillLanes(
  rows: number,
  lanes: number,
  lengthNs: number,
  random: Random,
  visit: (row: number, lane: number, startNs: number, durationNs: number) => void,
): void {
  const perLane = Math.ceil(rows / lanes);
  const everyNs = lengthNs / perLane;
  for (let row = 0; row < rows; row++) {
    const lane = row % lanes;
    const slot = Math.floor(row / lanes);
    // Cubed: many short ones, few that fill their slot.
    const durationNs = Math.max(1, Math.floor(everyNs * 0.9 * random() ** 3));
    const startNs = Math.floor(slot * everyNs + (everyNs - durationNs) * random());
    visit(row, lane, startNs, durationNs);
  }
}

type Optional<T extends TableName> = Parameters<typeof allocateColumns<T>>[2];

function sorted<T extends TableName>(table: T, columns: Columns<T>): Columns<T> {
  const { startNs } = columns as unknown as { startNs: Float64Array };
  const order = orderByStart(startNs);
  return order === undefined ? columns : reorderColumns(table, columns, order);
}

const callColumns = [
  'bytes',
  'direction',
  'stream',
  'returnCode',
  'offCpuNs',
  'runQueueNs',
  'minorFaults',
];

function cudaCalls(rows: number, lengthNs: number, random: Random): Columns<'cuda_call'> {
  const columns = allocateColumns('cuda_call', rows, callColumns as Optional<'cuda_call'>);
  // Two threads call CUDA: the main one and the autograd engine's.
  fillLanes(rows, 2, lengthNs, random, (row, lane, startNs, durationNs) => {
    const kind = random();
    const op = kind < 0.8 ? 0 : kind < 0.9 ? 1 : kind < 0.99 ? 2 : 3;
    columns.startNs[row] = startNs;
    columns.durationNs[row] = op === 0 ? Math.min(durationNs, 9_000) : durationNs;
    columns.thread[row] = lane;
    columns.op[row] = op;
    columns.layer[row] = codeOf(cudaLayers, 'runtime');
    if (columns.returnCode) columns.returnCode[row] = 0;
    if (columns.stream) columns.stream[row] = 0;
    if (columns.offCpuNs) columns.offCpuNs[row] = 0;
    if (columns.runQueueNs) columns.runQueueNs[row] = 0;
    if (columns.minorFaults) columns.minorFaults[row] = 0;
    if (op !== 1) return;
    if (columns.bytes) columns.bytes[row] = 2 ** (6 + Math.floor(random() * 22));
    if (columns.direction) columns.direction[row] = codeOf(directions, 'H2D');
    if (columns.offCpuNs) columns.offCpuNs[row] = Math.floor(durationNs * random() * 0.5);
  });
  addOutliers(columns, random);
  return sorted('cuda_call', columns);
}

const OUTLIERS = 6;
export const OUTLIERS_REACH_NS = 3_000_000_000;

/** A handful of calls that take thousands of times as long as the others. */
function addOutliers({ startNs, durationNs, op }: Columns<'cuda_call'>, random: Random): void {
  for (let outlier = 0; outlier < OUTLIERS; outlier++) {
    const row = Math.floor(random() * startNs.length);
    durationNs[row] = 300_000_000 + Math.floor(random() * 2_600_000_000);
    op[row] = 1 + (outlier % 2);
  }
}

const offColumns = ['state', 'runQueueNs', 'waker', 'nextThread', 'syscall', 'cpuOut', 'cpuIn'];
const STATES = [0, 0, 1, 1, 1, 2] as const;

function offCpu(
  rows: number,
  lengthNs: number,
  random: Random,
  threads: number,
): Columns<'off_cpu'> {
  const columns = allocateColumns('off_cpu', rows, offColumns as Optional<'off_cpu'>);
  const pick = (count: number) => Math.floor(random() * count);
  fillLanes(rows, threads, lengthNs, random, (row, lane, startNs, durationNs) => {
    const state = STATES[pick(STATES.length)] ?? 0;
    columns.startNs[row] = startNs;
    columns.durationNs[row] = durationNs;
    columns.thread[row] = lane;
    if (columns.state) columns.state[row] = state;
    if (columns.runQueueNs)
      columns.runQueueNs[row] = state === 0 ? durationNs : Math.floor(durationNs * random() * 0.2);
    if (columns.waker) columns.waker[row] = state === 1 ? pick(threads) : -1;
    if (columns.nextThread) columns.nextThread[row] = pick(threads);
    if (columns.syscall) columns.syscall[row] = state === 1 ? 202 : -1;
    if (columns.cpuOut) columns.cpuOut[row] = pick(CPUS);
    if (columns.cpuIn) columns.cpuIn[row] = pick(CPUS);
  });
  return sorted('off_cpu', columns);
}

function onCpu(rows: number, lengthNs: number, random: Random, threads: number): Columns<'on_cpu'> {
  const columns = allocateColumns('on_cpu', rows);
  fillLanes(rows, CPUS, lengthNs, random, (row, lane, startNs, durationNs) => {
    columns.startNs[row] = startNs;
    columns.durationNs[row] = durationNs;
    columns.thread[row] = Math.floor(random() * threads);
    columns.cpu[row] = lane;
  });
  return sorted('on_cpu', columns);
}

function cpuSamples(
  rows: number,
  lengthNs: number,
  random: Random,
  threads: number,
): Columns<'cpu_sample'> {
  const columns = allocateColumns('cpu_sample', rows, ['mode', 'stack']);
  for (let row = 0; row < rows; row++) {
    columns.startNs[row] = Math.floor((row * lengthNs) / rows);
    columns.thread[row] = Math.floor(random() * threads);
    if (columns.mode) columns.mode[row] = random() < 0.8 ? 1 : 2;
    if (columns.stack) columns.stack[row] = Math.floor(random() * 2);
  }
  return columns;
}

function pageFaults(rows: number, lengthNs: number, random: Random): Columns<'page_fault'> {
  const columns = allocateColumns('page_fault', rows, ['address', 'major']);
  for (let row = 0; row < rows; row++) {
    columns.startNs[row] = Math.floor((row * lengthNs) / rows);
    columns.durationNs[row] = 400 + Math.floor(random() * 1_200);
    columns.thread[row] = 2 + Math.floor(random() * 4);
    if (columns.address) columns.address[row] = 0x7f00_0000_0000 + row * 4096;
    if (columns.major) columns.major[row] = random() < 0.001 ? 1 : 0;
  }
  return columns;
}

const fillers: {
  readonly [T in Filled]: (
    rows: number,
    lengthNs: number,
    random: Random,
    threads: number,
  ) => Columns<T>;
} = {
  cuda_call: cudaCalls,
  off_cpu: offCpu,
  on_cpu: onCpu,
  cpu_sample: cpuSamples,
  page_fault: pageFaults,
};

function buildTables(events: number, lengthNs: number, random: Random, threads: number): Tables {
  const rest =
    events -
    tableRows(events, 'cuda_call') -
    tableRows(events, 'off_cpu') -
    tableRows(events, 'cpu_sample') -
    tableRows(events, 'page_fault');
  const entries = tableNames.map((name): [string, Table<TableName>] => {
    const filler = Object.hasOwn(fillers, name) ? fillers[name as Filled] : undefined;
    const rows =
      filler === undefined ? 0 : name === 'on_cpu' ? rest : tableRows(events, name as Filled);
    const columns =
      filler === undefined ? allocateColumns(name, 0) : filler(rows, lengthNs, random, threads);
    return [
      name,
      {
        rows,
        columns: columns as unknown as Columns<TableName>,
        provenance:
          filler === undefined
            ? { kind: 'absent', note: 'not generated' }
            : { kind: 'exact', note: 'generated' },
        columnProvenance: {},
        recordedAs: { source: 'HOST', op: name },
      },
    ];
  });
  return Object.fromEntries(entries) as unknown as Tables;
}

const tableRows = (events: number, table: Filled) => Math.floor((events * mix[table]) / 1000);

function cast(count: number): { processes: ProcessInfo[]; threads: ThreadInfo[] } {
  const workers = [1, 2, 3, 4];
  const main = {
    pid: 1000,
    name: 'python3',
    parent: -1,
    role: 'main',
    roleBasis: 'generated',
  } as const;
  const processes: ProcessInfo[] = [
    main,
    ...workers.map((worker) => ({
      ...main,
      pid: 1000 + worker,
      name: 'pt_data_worker',
      parent: 0,
      role: 'dataloader-worker' as const,
    })),
  ];
  const threads = Array.from({ length: count }, (_, index): ThreadInfo => {
    const process = index >= 2 && index < 6 ? index - 1 : 0;
    const { name, role } = processes[process] ?? main;
    return { tid: 1000 + index, process, name, role };
  });
  return { processes, threads };
}

/** How far the events of such a trace reach; a few outliers and an empty stretch follow, ns. */
export const eventsReachNs = (events: number) => events * EVENT_EVERY_NS;

/** A trace of exactly `events` events, the same for the same seed. Threads beyond the usual ones are the main process's. */
export function generateTrace(events: number, seed: number, threads = USUAL_THREADS): Trace {
  const random = createRandom(seed);
  const lengthNs = eventsReachNs(events);
  const tables = buildTables(events, lengthNs, random, threads);
  const stacks = new StackBuilder();
  for (const symbol of ['load', 'collate'])
    stacks.add([{ symbol, file: 'bench.py', line: 1, language: 'python' }]);
  return {
    meta: {
      format: 'Stalltrace',
      version: '1',
      beginUnixNs: 1_768_644_000_000_000_000n,
      // The outliers may reach beyond.
      lengthNs: lengthNs + OUTLIERS_REACH_NS,
      synthetic: `Generated by test/bench/traces/make-large-trace.ts, seed ${seed}: for benchmarks only.`,
    },
    hosts: [{ cpuCount: CPUS }],
    cpus: [],
    gpus: [{ model: 'none (generated)' }],
    clocks: [],
    jobs: [],
    contexts: [],
    ...cast(threads),
    names: [...OPS],
    nameSources: OPS.map(() => 'CUDA'),
    streams: [{ name: 'stream 7', context: -1 }],
    stacks: stacks.build(),
    tables,
    capabilities: [],
    sourceFindings: [],
    notices: [],
  };
}
