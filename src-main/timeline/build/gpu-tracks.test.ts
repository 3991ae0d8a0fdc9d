import { describe, expect, test } from 'vitest';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { codeOf, directions, gpuWorkKinds } from '../../shared/model/codes.ts';
import { nameColour } from '../model/colours.ts';
import type { LoadedTables, TraceData } from '../model/trace-data.ts';
import { type EventTrack, isEventTrack } from '../model/track-model.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { startsOf } from '../testing/lane-times.ts';
import { hasMatch } from '../view/matched-lanes.ts';
import { parseFilter } from '../view/track-filter.ts';
import { buildTrackGroups } from './build-tracks.ts';

const MANGLED = '_ZN3foo3addIfEEvPfi';
const READABLE = 'void foo::add<float>(float*, int)';
const [KERNEL, COPY, FILL, GRAPH] = (['kernel', 'copy', 'fill', 'graph'] as const).map((kind) =>
  codeOf(gpuWorkKinds, kind),
);

interface Work {
  readonly startNs: number;
  readonly durationNs: number;
  readonly op: number;
  readonly kind: number | undefined;
  readonly gpu?: number;
  readonly stream?: number;
  readonly process?: number;
  readonly direction?: 'H2D' | 'D2H';
}

function traceOf(work: readonly Work[], changes: Partial<TraceSummary> = {}): TraceData {
  const counts = { unknown: 0, kernel: 0, copy: 0, fill: 0, graph: 0 };
  for (const { kind = 0 } of work) counts[gpuWorkKinds[kind] ?? 'unknown']++;
  const summary = fakeSummary(
    { cuda_call: 1, ...(work.length > 0 && { gpu_work: work.length }) },
    {
      lengthNs: 1_000,
      gpus: [{ model: 'GPU A' }, { model: 'GPU B' }],
      processes: [5, 6].map((pid, rank) => ({
        ...{ pid, name: 'python', parent: -1, role: 'main', roleBasis: '', rank },
      })),
      names: [MANGLED, 'Memcpy HtoD', 'Memset', 'CUDA graph', 'cudaLaunchKernel'],
      nameSources: ['CUDA', 'CUDA', 'CUDA', 'CUDA', 'CUDA'],
      streams: ['default stream', 'stream 7'],
      gpuWork: { counts, readable: { 0: READABLE } },
      ...changes,
    },
  );
  const column = (of: (one: Work) => number) => Int32Array.from(work, of);
  const tables: LoadedTables = {
    cuda_call: { startNs: Float64Array.of(1), op: Uint16Array.of(4) },
    ...(work.length > 0 && {
      gpu_work: {
        startNs: Float64Array.from(work, ({ startNs }) => startNs),
        durationNs: Float64Array.from(work, ({ durationNs }) => durationNs),
        op: Uint16Array.from(work, ({ op }) => op),
        kind: Uint8Array.from(work, ({ kind = 0 }) => kind),
        gpu: column(({ gpu = 0 }) => gpu),
        stream: column(({ stream = 0 }) => stream),
        process: column(({ process = 0 }) => process),
        direction: Uint8Array.from(work, ({ direction }) =>
          directions.indexOf(direction ?? 'none'),
        ),
      },
    }),
  };
  return { traceId: 't', summary, tables };
}

/** The same, with a launch by each of these processes. */
function launchedBy(data: TraceData, processes: readonly number[]): TraceData {
  const threads = processes.map((process) => ({ tid: process, process, name: '', role: 'main' }));
  const cuda_call = {
    startNs: Float64Array.from(processes),
    op: Uint16Array.from(processes, () => 4),
    thread: Int32Array.from(processes.keys()),
  };
  return {
    ...data,
    summary: { ...data.summary, threads: threads as TraceSummary['threads'] },
    tables: { ...data.tables, cuda_call },
  };
}

const gpuTracks = (data: TraceData): EventTrack[] =>
  buildTrackGroups(data)
    .filter(({ id }) => id.startsWith('gpu:'))
    .flatMap(({ tracks }) => tracks.filter(isEventTrack));

const named = (data: TraceData) =>
  gpuTracks(data).map(({ label, detail }) => [label, detail].filter(Boolean).join(' · '));

const kernel = { startNs: 100, durationNs: 50, op: 0, kind: KERNEL };
const copy = { startNs: 20, durationNs: 30, op: 1, kind: COPY, direction: 'H2D' as const };
const fill = { startNs: 60, durationNs: 10, op: 2, kind: FILL };
const graph = { startNs: 200, durationNs: 100, op: 3, kind: GRAPH, stream: 1 };
const all = [copy, fill, kernel, graph];

describe('the tracks of a GPU', () => {
  test('kernels and copies of each stream, below when it was busy', () => {
    expect(named(traceOf(all))).toEqual([
      'GPU busy · from its own record',
      'Kernels · default stream',
      'Copies and fills · default stream',
      'Kernels · stream 7',
    ]);
  });

  test('each GPU has its own, and processes that share one are told apart', () => {
    const shared = { ...kernel, process: 1 };
    const other = { ...kernel, gpu: 1 };
    expect(named(traceOf([kernel, shared, other]))).toEqual([
      'GPU busy · from its own record',
      'Kernels · default stream · rank 0 · pid 5',
      'Kernels · default stream · rank 1 · pid 6',
      'GPU busy · from its own record',
      'Kernels · default stream',
    ]);
    const ids = gpuTracks(traceOf([kernel, shared, other])).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('work is named briefly, in the colour of what asks for it, and found by its whole name', () => {
    const [, kernels, copies] = gpuTracks(traceOf(all));
    const shown = (track: EventTrack | undefined) => {
      const lane = track?.summary();
      return Array.from(lane?.rows ?? [], (_, index) => [
        lane && track?.nameOf(lane, index),
        lane?.colours[index],
      ]);
    };
    expect(shown(kernels)).toEqual([['add', nameColour('add')]]);
    expect(shown(copies)).toEqual([
      ['Copy H2D', nameColour('cudaMemcpyAsync')],
      ['Fill', nameColour('cudaMemsetAsync')],
    ]);
    const finds = (track: EventTrack | undefined, text: string) =>
      track !== undefined && hasMatch(track, parseFilter(`name:${text}`));
    expect(finds(kernels, 'foo::add<float')).toBe(true);
    expect(finds(kernels, 'add')).toBe(true);
    expect(finds(copies, 'h2d')).toBe(true);
    expect(finds(copies, 'HtoD')).toBe(true);
    expect(finds(copies, 'add')).toBe(false);
  });

  test('the busy row has what it did as shares and what it did not as ground', () => {
    const [busy] = gpuTracks(traceOf(all));
    if (busy === undefined) throw new Error('no track');
    const lengths = (lane = busy.summary()) =>
      Array.from(startsOf(lane), (start, at) => [
        ...[start, lane.times.durationNs(at)],
        busy.nameOf(lane, at),
      ]);
    expect(busy.kind).toBe('density');
    expect(lengths()).toEqual([
      [20, 30, 'Copying only'],
      [60, 10, 'Copying only'],
      [100, 50, 'Computing'],
      [200, 100, 'Computing'],
    ]);
    expect(lengths(busy.ground?.())[0]).toEqual([0, 20, 'GPU idle']);
    expect(hasMatch(busy, parseFilter('name:idle dur>600ns'))).toBe(true);
  });
});

describe('what is not recorded of a GPU', () => {
  const missing = (data: TraceData) => gpuTracks(data).find(({ unrecorded }) => unrecorded);

  test('is said where there is no record at all', () => {
    const data = traceOf([]);
    const note = 'Not asked for: --gpu-records none.';
    const gpu_work = { ...data.summary.tables.gpu_work, provenance: { kind: 'absent', note } };
    const tables = { ...data.summary.tables, gpu_work } as TraceSummary['tables'];
    const told = missing({ ...data, summary: { ...data.summary, tables } });
    expect(told).toMatchObject({ label: 'GPU work', unrecorded: note, provenance: note });
    expect(missing({ ...data, tables: {} })).toBeUndefined();
  });

  test('is said of kernels where copies only are recorded, and then nothing is called idle', () => {
    const data = traceOf([copy, fill]);
    expect(named(data)).toEqual([
      'Copying · kernels are not recorded',
      'Kernels',
      'Copies and fills · default stream',
    ]);
    expect(missing(data)?.unrecorded).toMatch(/^Kernels are not recorded/);
    expect(gpuTracks(data)[0]?.ground).toBeUndefined();
  });

  test('is said of the GPU whose kernels are not recorded, not of the one beside it', () => {
    const other = { ...copy, gpu: 1, process: 1 };
    const data = launchedBy(traceOf([copy, kernel, other]), [0, 1]);
    expect(named(data)).toEqual([
      'GPU busy · from its own record',
      'Kernels · default stream',
      'Copies and fills · default stream',
      'Copying · kernels are not recorded',
      'Kernels',
      'Copies and fills · default stream',
    ]);
    const busy = gpuTracks(data).filter(({ kind }) => kind === 'density');
    expect(busy.map(({ ground }) => ground !== undefined)).toEqual([true, false]);
    // A process that only copies to a GPU has its kernels on another.
    const copies = { ...copy, gpu: 1 };
    expect(missing(launchedBy(traceOf([kernel, copies]), [0]))).toBeUndefined();
  });

  test('of two processes on one GPU it is said whose, and nothing is called idle', () => {
    const other = { ...copy, process: 1 };
    const data = launchedBy(traceOf([kernel, other]), [0, 1]);
    expect(missing(data)?.unrecorded).toMatch(/^Kernels of rank 1 · pid 6 are not recorded/);
    expect(gpuTracks(data)[0]).toMatchObject({ label: 'GPU busy' });
    expect(gpuTracks(data)[0]?.ground).toBeUndefined();
  });

  test('is not said where none was launched', () => {
    const data = traceOf([copy]);
    const cuda_call = { startNs: Float64Array.of(1), op: Uint16Array.of(1) };
    const quiet = { ...data, tables: { ...data.tables, cuda_call } };
    expect(missing(quiet)).toBeUndefined();
    expect(gpuTracks(quiet)[0]?.ground).toBeDefined();
  });
});
