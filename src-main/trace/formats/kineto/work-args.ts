import { EVENT } from '../../../native/event-scan.ts';
import { readArguments, readItems } from '../../event-json/args-reader.ts';
import { numberAt, OPEN_ARRAY } from '../../event-json/json-bytes.ts';
import type { TraceEvent } from '../../event-json/trace-event.ts';

const MAX_U32 = 2 ** 32 - 1;
const MAX_I32 = 2 ** 31 - 1;
const LONGEST_KEY = 'graph node id'.length;

/** What the arguments of calls and of GPU work say; there is one such object. -1 = not said, of ids 0. */
export class WorkArgs {
  correlation = 0;
  device = -1;
  context = -1;
  stream = -1;
  bytes = -1;
  graph = 0;
  node = -1;
  readonly grid = [-1, -1, -1];
  readonly block = [-1, -1, -1];

  read(event: TraceEvent, bytes: Buffer): void {
    if (event.cells !== undefined) {
      this.#take(event.cells, event.cellsAt);
      return;
    }
    this.correlation = 0;
    this.device = -1;
    this.context = -1;
    this.stream = -1;
    this.bytes = -1;
    this.graph = 0;
    this.node = -1;
    this.grid.fill(-1);
    this.block.fill(-1);
    if (event.argsTo > 0) readArguments(bytes, event.argsFrom, event.argsTo, this.#onArgument);
  }

  /** As native code read them. */
  #take(cells: Float64Array, at: number): void {
    this.correlation = cells[at + EVENT.correlation];
    this.device = cells[at + EVENT.device];
    this.context = cells[at + EVENT.context];
    this.stream = cells[at + EVENT.stream];
    this.bytes = cells[at + EVENT.bytes];
    this.graph = cells[at + EVENT.graph];
    this.node = cells[at + EVENT.node];
    for (let axis = 0; axis < 3; axis++) {
      this.grid[axis] = cells[at + EVENT.grid + axis];
      this.block[axis] = cells[at + EVENT.block + axis];
    }
  }

  readonly #onArgument = (
    bytes: Buffer,
    keyFrom: number,
    keyTo: number,
    from: number,
    to: number,
  ): void => {
    if (keyTo - keyFrom > LONGEST_KEY) return;
    const number = (most: number, otherwise: number) =>
      within(numberAt(bytes, from, to), most, otherwise);
    switch (bytes.toString('latin1', keyFrom, keyTo)) {
      case 'correlation':
        this.correlation = number(MAX_U32, 0);
        return;
      case 'device':
        this.device = number(MAX_I32, -1);
        return;
      case 'context':
        this.context = number(MAX_I32, -1);
        return;
      case 'stream':
        this.stream = number(MAX_I32, -1);
        return;
      case 'bytes':
      case 'Bytes':
        this.bytes = number(Number.MAX_SAFE_INTEGER, -1);
        return;
      case 'grid':
        readShape(this.grid, bytes, from, to);
        return;
      case 'block':
        readShape(this.block, bytes, from, to);
        return;
      case 'graph id':
        this.graph = number(MAX_U32, 0);
        return;
      case 'graph node id':
        this.node = number(Number.MAX_SAFE_INTEGER, -1);
    }
  };
}

function within(value: number, most: number, otherwise: number): number {
  return Number.isInteger(value) && value >= 0 && value <= most ? value : otherwise;
}

function readShape(target: number[], bytes: Buffer, from: number, to: number): void {
  if (bytes[from] !== OPEN_ARRAY) return;
  readItems(bytes, from, to, (place, start, end) => {
    if (place < target.length) target[place] = within(numberAt(bytes, start, end), MAX_I32, -1);
  });
}
