import { codeOf, cudaLayers, type Direction, directions } from '../../../shared/model/codes.ts';
import { allocateColumns, type Columns } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Entities } from './entities.ts';
import { bytesPerArg0, RUNTIME_OP, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/** CUDA streams by process and handle; 0 is the default stream of the process. */
export class StreamTable {
  readonly streams: string[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(pid: number, handle: number): number {
    // Stored as a signed 64-bit integer; a handle is an address and fits 2^53.
    if (!Number.isSafeInteger(handle) || handle < 0) return NONE;
    const key = `${pid} ${handle}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const name = handle === 0 ? 'default stream' : `stream 0x${handle.toString(16)}`;
    const index = this.streams.push(name) - 1;
    this.#indexes.set(key, index);
    return index;
  }
}

/** cudaMemcpyKind; Ingero adds 5 = not known. */
const directionsByKind: readonly Direction[] = ['H2H', 'H2D', 'D2H', 'D2D'];

function directionOf(source: number, op: number, arg1: number): Direction {
  if (source === SOURCE.driver) return op === 2 || op === 3 ? 'unknown' : 'none';
  if (source !== SOURCE.runtime) return 'none';
  switch (op) {
    case RUNTIME_OP.memcpy:
    case RUNTIME_OP.memcpyAsync:
    case RUNTIME_OP.memcpy2D:
    case RUNTIME_OP.memcpy2DAsync:
      return directionsByKind[arg1] ?? 'unknown';
    case RUNTIME_OP.memcpyPeer:
    case RUNTIME_OP.memcpyPeerAsync:
      return 'P2P';
    default:
      return 'none';
  }
}

function bytesOf(source: number, op: number, arg0: number, arg1: number): number {
  const isFree = source === SOURCE.runtime && op === RUNTIME_OP.free;
  // cudaFree carries the freed size since 0.9.0; 0 says that the allocation was not seen.
  if (isFree) return arg1 > 0 && arg1 <= 2 ** 48 ? arg1 : -1;
  const unit = bytesPerArg0(source, op);
  return unit > 0 && arg0 >= 0 && arg0 <= 2 ** 52 ? arg0 * unit : -1;
}

/** Launches carry their stream since 0.16; before that the argument is always 0. */
function launchesCarryStreams(events: RawEvents, order: Uint32Array): boolean {
  return order.some(
    (row) =>
      events.source[row] === SOURCE.runtime &&
      events.op[row] === RUNTIME_OP.launch &&
      events.arg1[row] !== 0,
  );
}

const layerOfSource = new Map<number, number>([
  [SOURCE.runtime, codeOf(cudaLayers, 'runtime')],
  [SOURCE.driver, codeOf(cudaLayers, 'driver')],
  [SOURCE.graph, codeOf(cudaLayers, 'graph')],
]);

/** The `cuda_call` table from the events in `order`, sorted by start. */
export function buildCudaCalls(
  events: RawEvents,
  order: Uint32Array,
  names: OpNames,
  entities: Entities,
  streams: StreamTable,
  hasStacks: boolean,
): Columns<'cuda_call'> {
  const optional = ['bytes', 'direction', 'stream', 'returnCode', 'stack', 'parent'] as const;
  const columns = allocateColumns('cuda_call', order.length, optional) as Columns<'cuda_call'> &
    Required<Pick<Columns<'cuda_call'>, (typeof optional)[number]>>;
  const streamsOfLaunches = launchesCarryStreams(events, order);
  const directionCodes = new Map(directions.map((name, code) => [name, code]));
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    const arg0 = events.arg0[row] as number;
    const arg1 = events.arg1[row] as number;
    columns.startNs[at] = events.startNs[row] as number;
    columns.durationNs[at] = events.durationNs[row] as number;
    columns.thread[at] = entities.threadOf(events.tid[row] as number);
    columns.op[at] = names.op(source, op);
    columns.layer[at] = layerOfSource.get(source) ?? 0;
    columns.bytes[at] = bytesOf(source, op, arg0, arg1);
    columns.direction[at] = directionCodes.get(directionOf(source, op, arg1)) ?? 0;
    columns.returnCode[at] = events.returnCode[row] as number;
    columns.stack[at] = events.stack[row] as number;
    if (source !== SOURCE.runtime) continue;
    const pid = events.pid[row] as number;
    if (op === RUNTIME_OP.streamSync) columns.stream[at] = streams.indexOf(pid, arg0);
    else if (op === RUNTIME_OP.launch && streamsOfLaunches)
      columns.stream[at] = streams.indexOf(pid, arg1);
  }
  linkDriverCalls(columns);
  return withoutEmptyColumns(columns, streams, hasStacks);
}

/** Without the columns that this file says nothing about in any row. */
function withoutEmptyColumns(
  columns: Columns<'cuda_call'>,
  { streams }: StreamTable,
  hasStacks: boolean,
): Columns<'cuda_call'> {
  const { stream, stack, ...others } = columns;
  return {
    ...others,
    ...(streams.length > 0 && stream !== undefined ? { stream } : {}),
    ...(hasStacks && stack !== undefined ? { stack } : {}),
  };
}

/** Real calls nest two or three deep; a damaged file must not make the sweep quadratic. */
const MAX_NESTING = 64;

/**
 * Sets `parent` of each driver call to the innermost runtime or graph call of its thread that
 * encloses it. One sweep: rows are sorted by start, the longer of two first.
 */
export function linkDriverCalls(
  columns: Pick<Columns<'cuda_call'>, 'startNs' | 'durationNs' | 'thread' | 'layer'> & {
    parent: Int32Array;
  },
): void {
  const { startNs, durationNs, thread, layer, parent } = columns;
  const driver = codeOf(cudaLayers, 'driver');
  const openCalls = new Map<number, number[]>();
  const endOf = (row: number) => (startNs[row] as number) + (durationNs[row] as number);
  for (let row = 0; row < startNs.length; row++) {
    const of = thread[row] as number;
    const open = openCalls.get(of) ?? [];
    openCalls.set(of, open);
    const start = startNs[row] as number;
    let top = open.at(-1);
    while (top !== undefined && endOf(top) <= start) {
      open.pop();
      top = open.at(-1);
    }
    if (layer[row] !== driver) {
      if (open.length < MAX_NESTING) open.push(row);
    } else if (of !== NONE)
      parent[row] = open.findLast((call) => endOf(call) >= endOf(row)) ?? NONE;
  }
}
