import { codeOf, cudaLayers, type Direction, directions } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Stream } from '../../../shared/model/trace.ts';
import { addEvents, type Recording } from './add-events.ts';
import { bytesPerArg0, RUNTIME_OP, SOURCE } from './op-codes.ts';
import type { RawEvents } from './raw-events.ts';

function streamOf(handle: number): Stream {
  const name = handle === 0 ? 'default stream' : `stream 0x${handle.toString(16)}`;
  return { name, context: NONE };
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

/** The handle of the stream that an event names; -1 = none. */
function streamHandle(events: RawEvents, row: number, inLaunches: boolean): number {
  if (events.source[row] !== SOURCE.runtime) return NONE;
  const op = events.op[row];
  const isLaunch = inLaunches && op === RUNTIME_OP.launch;
  const handle = isLaunch
    ? events.arg1[row]
    : op === RUNTIME_OP.streamSync
      ? events.arg0[row]
      : NONE;
  // Stored as a signed 64-bit integer; a handle is an address and fits 2^53.
  return Number.isSafeInteger(handle) && handle >= 0 ? handle : NONE;
}

const layerOfSource = new Map<number, number>([
  [SOURCE.runtime, codeOf(cudaLayers, 'runtime')],
  [SOURCE.driver, codeOf(cudaLayers, 'driver')],
  [SOURCE.graph, codeOf(cudaLayers, 'graph')],
]);

/** Adds the CUDA calls among the events: those that `chosen` names. */
export function addCudaCalls(recording: Recording, chosen: Uint32Array, hasStacks: boolean): void {
  const { trace, events } = recording;
  const inLaunches = launchesCarryStreams(events, chosen);
  const hasStreams = chosen.some((row) => streamHandle(events, row, inLaunches) !== NONE);
  const optional = [
    ...(['bytes', 'direction', 'returnCode', 'parent'] as const),
    ...(hasStreams ? (['stream'] as const) : []),
    ...(hasStacks ? (['stack'] as const) : []),
  ];
  addEvents(recording, 'cuda_call', chosen, optional, (columns, at, row) => {
    const source = events.source[row];
    const op = events.op[row];
    const arg1 = events.arg1[row];
    columns.layer[at] = layerOfSource.get(source) ?? 0;
    columns.bytes[at] = bytesOf(source, op, events.arg0[row], arg1);
    columns.direction[at] = codeOf(directions, directionOf(source, op, arg1));
    columns.returnCode[at] = events.returnCode[row];
    if (hasStacks) columns.stack[at] = events.stack[row];
    const handle = hasStreams ? streamHandle(events, row, inLaunches) : NONE;
    if (handle !== NONE)
      columns.stream[at] = trace.streams.ofOwner(events.pid[row], handle, streamOf);
  });
}
