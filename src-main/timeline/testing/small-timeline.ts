import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Role, SourceFinding } from '../../shared/model/trace.ts';
import type { LoadedTables, TraceData } from '../model/trace-data.ts';
import { fakeSummary } from './fake-summary.ts';

const LENGTH_NS = 1e6;
/** So many that no tile of all of them is exact. */
const WAITS = 3_000;
const SAMPLES = 2_000;

const ns = (...values: number[]) => Float64Array.from(values);
const indexes = (...values: number[]) => Int32Array.from(values);
const codes = (...values: number[]) => Uint8Array.from(values);
const names = (...values: number[]) => Uint16Array.from(values);

/** Of the main thread two stretches off the CPU, of the worker thousands one after the other. */
function waits(): NonNullable<LoadedTables['off_cpu']> {
  const worker = Array.from({ length: WAITS }, (_, at) => at);
  return {
    startNs: ns(200_000, 700_000, ...worker.map((at) => 50_000 + at * 300)),
    durationNs: ns(50_000, 30_000, ...worker.map((at) => 40 + (at % 7) * 30)),
    thread: indexes(0, 0, ...worker.map(() => 1)),
    state: indexes(1, 0, ...worker.map((at) => at % 2)),
  };
}

/** Nothing came for a tenth of the time. */
function samples(): NonNullable<LoadedTables['sample']> {
  const all = Array.from({ length: SAMPLES }, (_, at) => at);
  return {
    startNs: Float64Array.from(all, (at) => at * 450 + (at < SAMPLES / 2 ? 0 : LENGTH_NS / 10)),
    metric: new Uint16Array(SAMPLES).fill(3),
    value: Float64Array.from(all, (at) => (at * 37) % 101),
  };
}

function tables(): LoadedTables {
  return {
    // A copy with a driver call inside it, a launch, and a call of the worker.
    cuda_call: {
      startNs: ns(100_000, 110_000, 500_000, 900_000),
      durationNs: ns(50_000, 10_000, 80_000, 1_000),
      thread: indexes(0, 0, 0, 1),
      op: names(0, 1, 2, 0),
      parent: indexes(-1, 0, -1, -1),
    },
    // Of the inner call a copy, of the launch two kernels that overlap; of the last nobody knows who asked for it.
    gpu_work: {
      startNs: ns(120_000, 520_000, 560_000, 800_000),
      durationNs: ns(60_000, 100_000, 20_000, 5_000),
      op: names(0, 8, 8, 8),
      gpu: indexes(0, 0, 0, 0),
      stream: indexes(0, 0, 0, 0),
      process: indexes(0, 0, 0, 0),
      kind: codes(2, 1, 1, 1),
      direction: codes(1, 0, 0, 0),
      call: indexes(1, 2, 2, -1),
    },
    off_cpu: waits(),
    // One inside the other: two lines.
    range: {
      startNs: ns(90_000, 95_000),
      durationNs: ns(510_000, 100_000),
      thread: indexes(0, 0),
      op: names(5, 6),
    },
    page_fault: {
      startNs: ns(10_000, 20_000),
      durationNs: ns(500, 900),
      thread: indexes(1, 1),
      major: codes(0, 1),
    },
    block_io: {
      startNs: ns(510_000, 530_000),
      durationNs: ns(60_000, 20_000),
      thread: indexes(0, 1),
      op: names(7, 7),
      bytes: ns(4_096, 512),
    },
    process_event: { startNs: ns(5_000), thread: indexes(0), kind: codes(1) },
    sample: samples(),
    aggregate: {
      startNs: ns(0, 500_000),
      durationNs: ns(500_000, 500_000),
      thread: indexes(1, 1),
      source: names(0, 0),
      op: names(0, 0),
      count: ns(40, 2),
      stored: ns(0, 1),
    },
    gap: { startNs: ns(950_000), durationNs: ns(10_000), op: names(4) },
  };
}

const finding: SourceFinding = {
  ...{ foundBy: 'Ingero', summary: 'Slow', explanation: '', causes: [], ops: [] },
  ...{ severity: 'HIGH', recommendations: [] },
  occurrences: [
    { op: '', detectedNs: 400_000, severity: 'HIGH', p50Us: 1, p99Us: 1, detail: 'copies' },
  ],
};

const process = (pid: number, role: Role) => ({
  ...{ pid, name: `p${pid}`, parent: -1, role, roleBasis: 'said' },
});

function summaryOf(all: LoadedTables): TraceSummary {
  const rows = Object.entries(all).map(([table, { startNs }]) => [table, startNs?.length ?? 0]);
  return fakeSummary(Object.fromEntries(rows), {
    lengthNs: LENGTH_NS,
    gpus: [{ model: 'GPU' }],
    processes: [process(10, 'main'), process(20, 'dataloader-worker')],
    threads: [
      { tid: 10, process: 0, name: 'main', role: 'main' },
      { tid: 20, process: 1, name: 'worker', role: 'dataloader-worker' },
    ],
    names: [
      ...['cudaMemcpyAsync', 'cuMemcpyHtoD', 'cudaLaunchKernel', 'CPU (%)', 'sched_switch'],
      ...['step', 'load', 'read', 'void ns::add<float>(int)'],
    ],
    nameSources: ['CUDA', 'DRIVER', 'CUDA', '', 'HOST', '', '', '', ''],
    streams: ['stream 7'],
    coverage: [[[0, LENGTH_NS]]],
    sourceFindings: [finding],
  });
}

/** A trace with tracks of every kind: another one each time, with lanes of its own. */
export function smallTimeline(): TraceData {
  const all = tables();
  return { traceId: 'small', summary: summaryOf(all), tables: all };
}
