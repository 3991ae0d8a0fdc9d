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
import { type Span, spanOf } from './spans.ts';
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
  const rows = trace.rows('gpu_work', { optional });
  const { columns } = rows;
  const { names } = trace;
  let skipped = 0;

  function add(cells: readonly Cell[], name: string, kind: number): number | undefined {
    const [start, end, device, context, stream, correlation, node, pid] = cells;
    const span: Span | undefined = spanOf(start, end);
    if (span === undefined) {
      skipped++;
      return undefined;
    }
    const process = tasks.process(pid);
    const place = gpus.place(process, device, context, stream);
    const row = rows.add();
    columns.startNs[row] = span.startNs;
    columns.durationNs[row] = span.durationNs;
    columns.op[row] = names.add(name, 'GPU');
    columns.kind[row] = kind;
    columns.process[row] = process;
    columns.gpu[row] = place.gpu;
    columns.context[row] = place.context;
    columns.stream[row] = place.stream;
    columns.correlation[row] = within(correlation, MAX_U32, 0);
    columns.node[row] = within(node, Number.MAX_SAFE_INTEGER, -1);
    columns.direction[row] = wayOf('none');
    return row;
  }

  const kernels = [...PLACE, ...NODE, 'demangledName', 'shortName', ...SHAPE];
  for (const cells of tables.rows('CUPTI_ACTIVITY_KIND_KERNEL', kernels)) {
    const name = strings.find(cells[8]) ?? strings.of(cells[9]);
    const row = add(cells, name, KERNEL);
    if (row === undefined) continue;
    // There are millions of them: no array is made for each.
    columns.gridX[row] = within(cells[10], MAX_I32, -1);
    columns.gridY[row] = within(cells[11], MAX_I32, -1);
    columns.gridZ[row] = within(cells[12], MAX_I32, -1);
    columns.blockX[row] = within(cells[13], MAX_I32, -1);
    columns.blockY[row] = within(cells[14], MAX_I32, -1);
    columns.blockZ[row] = within(cells[15], MAX_I32, -1);
  }
  const copies = [...PLACE, ...NODE, 'bytes', 'copyKind', 'srcKind', 'dstKind'];
  for (const cells of tables.rows('CUPTI_ACTIVITY_KIND_MEMCPY', copies)) {
    const [bytes, copyKind, source, destination] = cells.slice(8);
    const [word, direction] = COPIES[within(copyKind, 13, 0)] ?? ['', 'unknown' as const];
    const row = add(cells, copyName(word, source, destination), kindOf('copy'));
    if (row === undefined) continue;
    columns.bytes[row] = within(bytes, Number.MAX_SAFE_INTEGER, -1);
    columns.direction[row] = wayOf(direction);
    columns.sourceMemory[row] = memoryOf(source);
    columns.destinationMemory[row] = memoryOf(destination);
  }
  const fills = [...PLACE, ...NODE, 'bytes', 'memKind'];
  for (const cells of tables.rows('CUPTI_ACTIVITY_KIND_MEMSET', fills)) {
    const [bytes, memory] = cells.slice(8);
    const row = add(cells, 'Memset', kindOf('fill'));
    if (row === undefined) continue;
    columns.bytes[row] = within(bytes, Number.MAX_SAFE_INTEGER, -1);
    columns.destinationMemory[row] = memoryOf(memory);
  }
  const graphs = [...PLACE, ...NODE, 'graphId'];
  for (const cells of tables.rows('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', graphs)) {
    const row = add(cells, 'Graph', kindOf('graph'));
    if (row !== undefined) columns.graph[row] = within(cells[8], MAX_U32, 0);
  }
  return { rows, skipped };
}
