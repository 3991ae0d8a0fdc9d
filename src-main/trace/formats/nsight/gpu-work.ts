import {
  codeOf,
  type Direction,
  directions,
  gpuWorkKinds,
  memoryKinds,
} from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, processIn, within } from './export-tables.ts';
import type { GpuPlaces } from './gpus.ts';
import { spanOf } from './spans.ts';
import type { ExportStrings } from './strings.ts';
import type { ExportTasks } from './tasks.ts';

const MAX_U32 = 2 ** 32 - 1;
const MAX_I32 = 2 ** 31 - 1;

/** ENUM_CUDA_MEMCPY_OPER: how it is called, and its way. 11 to 14 move managed memory. */
const COPIES: Readonly<Record<number, readonly [word: string, direction: Direction]>> = {
  1: ['HtoD', 'H2D'],
  2: ['DtoH', 'D2H'],
  3: ['HtoA', 'H2D'],
  4: ['AtoH', 'D2H'],
  5: ['AtoA', 'D2D'],
  6: ['AtoD', 'D2D'],
  7: ['DtoA', 'D2D'],
  8: ['DtoD', 'D2D'],
  9: ['HtoH', 'H2H'],
  10: ['PtoP', 'P2P'],
  11: ['HtoD, managed', 'H2D'],
  12: ['DtoH, managed', 'D2H'],
  13: ['DtoD, managed', 'D2D'],
};

/** ENUM_CUDA_MEM_KIND, which is CUPTI’s less one. */
const MEMORY = (
  ['pageable', 'pinned', 'device', 'array', 'managed', 'device', 'managed'] as const
).map((kind) => codeOf(memoryKinds, kind));

/** As Kineto names them, so that a copy is called the same whoever recorded it. */
const MEMORY_WORDS: readonly (string | undefined)[] = [
  ...['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device', 'Managed'],
];

/** `Memcpy HtoD (Pageable -> Device)`; without memory where that of an end is not known. */
function copyName(word: string, source: Cell | undefined, destination: Cell | undefined): string {
  const ends = [source, destination].map((kind) => MEMORY_WORDS[within(kind, 6, NONE)]);
  const memory = ends.includes(undefined) ? '' : `(${ends.join(' -> ')})`;
  return ['Memcpy', word, memory].filter((part) => part !== '').join(' ');
}

const memoryOf = (cell: Cell | undefined) =>
  (typeof cell === 'number' ? MEMORY[cell] : undefined) ?? 0;
const kindOf = (kind: (typeof gpuWorkKinds)[number]) => codeOf(gpuWorkKinds, kind);
const KERNEL = kindOf('kernel');
const wayOf = (direction: Direction) => codeOf(directions, direction);

const optional = [
  ...(['stream', 'bytes', 'direction', 'kind', 'process', 'context'] as const),
  ...(['sourceMemory', 'destinationMemory', 'correlation', 'graph', 'node'] as const),
  ...(['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'] as const),
];

const KERNELS = 'CUPTI_ACTIVITY_KIND_KERNEL';
const COPIED = 'CUPTI_ACTIVITY_KIND_MEMCPY';
const FILLED = 'CUPTI_ACTIVITY_KIND_MEMSET';
const GRAPHS = 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE';
const WORK = [KERNELS, COPIED, FILLED, GRAPHS];

type Cells = readonly Float64Array[];
const PLACE = ['start', 'end', 'deviceId', 'contextId', 'streamId', 'correlationId'];
/** The low half of a node’s id is its graph’s, the high half its own: only whole does it tell one from another. */
const NODE = ['graphNodeId', processIn('globalPid')];
const SHAPE = ['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'];

/** What the GPUs did: kernels, copies, fills, graphs launched as a whole. */
export function addWork(
  tables: ExportTables,
  strings: ExportStrings,
  tasks: ExportTasks,
  gpus: GpuPlaces,
  trace: TraceBuilder,
) {
  const rows = trace.rows('gpu_work', { expected: tables.count(...WORK), optional });
  const { columns } = rows;
  const { names } = trace;
  const kernelName = kernelNames(strings, trace);
  let skipped = 0;

  /** The row of number `at` of a page, whose cells begin with PLACE and NODE. */
  function add(cells: Cells, at: number, op: number, kind: number): number | undefined {
    const [start, end, device, context, stream, correlation, node, pid] = cells;
    const span = spanOf(start[at], end[at]);
    if (span === undefined) {
      skipped++;
      return undefined;
    }
    const process = tasks.process(pid[at]);
    const place = gpus.place(process, device[at], context[at], stream[at]);
    const row = rows.add();
    columns.startNs[row] = span.startNs;
    columns.durationNs[row] = span.durationNs;
    columns.op[row] = op;
    columns.kind[row] = kind;
    columns.process[row] = process;
    columns.gpu[row] = place.gpu;
    columns.context[row] = place.context;
    columns.stream[row] = place.stream;
    columns.correlation[row] = within(correlation[at], MAX_U32, 0);
    columns.node[row] = within(node[at], Number.MAX_SAFE_INTEGER, -1);
    columns.direction[row] = wayOf('none');
    return row;
  }

  const kernels = [...PLACE, ...NODE, 'demangledName', 'shortName', ...SHAPE];
  for (const { count, cells } of tables.pages(KERNELS, kernels)) {
    const [, , , , , , , , long, short, gridX, gridY, gridZ, blockX, blockY, blockZ] = cells;
    for (let at = 0; at < count; at++) {
      const row = add(cells, at, kernelName(long[at], short[at]), KERNEL);
      if (row === undefined) continue;
      columns.gridX[row] = within(gridX[at], MAX_I32, -1);
      columns.gridY[row] = within(gridY[at], MAX_I32, -1);
      columns.gridZ[row] = within(gridZ[at], MAX_I32, -1);
      columns.blockX[row] = within(blockX[at], MAX_I32, -1);
      columns.blockY[row] = within(blockY[at], MAX_I32, -1);
      columns.blockZ[row] = within(blockZ[at], MAX_I32, -1);
    }
  }
  const copies = [...PLACE, ...NODE, 'bytes', 'copyKind', 'srcKind', 'dstKind'];
  for (const { count, cells } of tables.pages(COPIED, copies)) {
    const [bytes, copyKind, source, destination] = cells.slice(8);
    for (let at = 0; at < count; at++) {
      const [word, direction] = COPIES[within(copyKind[at], 13, 0)] ?? ['', 'unknown' as const];
      const name = copyName(word, source[at], destination[at]);
      const row = add(cells, at, names.add(name, 'GPU'), kindOf('copy'));
      if (row === undefined) continue;
      columns.bytes[row] = within(bytes[at], Number.MAX_SAFE_INTEGER, -1);
      columns.direction[row] = wayOf(direction);
      columns.sourceMemory[row] = memoryOf(source[at]);
      columns.destinationMemory[row] = memoryOf(destination[at]);
    }
  }
  const fills = [...PLACE, ...NODE, 'bytes', 'memKind'];
  const fillKind = kindOf('fill');
  for (const { count, cells } of tables.pages(FILLED, fills)) {
    const [bytes, memory] = cells.slice(8);
    for (let at = 0; at < count; at++) {
      const row = add(cells, at, names.add('Memset', 'GPU'), fillKind);
      if (row === undefined) continue;
      columns.bytes[row] = within(bytes[at], Number.MAX_SAFE_INTEGER, -1);
      columns.destinationMemory[row] = memoryOf(memory[at]);
    }
  }
  const graphs = [...PLACE, ...NODE, 'graphId'];
  for (const { count, cells } of tables.pages(GRAPHS, graphs)) {
    const [graph] = cells.slice(8);
    for (let at = 0; at < count; at++) {
      const row = add(cells, at, names.add('Graph', 'GPU'), kindOf('graph'));
      if (row !== undefined) columns.graph[row] = within(graph[at], MAX_U32, 0);
    }
  }
  return { rows, skipped };
}

/** Which name a kernel has by the number of its long name, and of its short one: many rows have the same. */
function kernelNames(strings: ExportStrings, { names }: TraceBuilder) {
  const known = strings.memo();
  return (long: number, short: number): number => {
    const found = known[long] ?? NONE;
    if (found !== NONE) return found;
    const name = strings.find(long);
    const op = names.add(name ?? strings.of(short), 'GPU');
    if (name !== undefined) known[long] = op;
    return op;
  };
}
