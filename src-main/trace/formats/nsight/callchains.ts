import { NONE } from '../../../shared/model/schema.ts';
import { IdMap } from '../../build/id-map.ts';
import { longer } from '../../build/longer-array.ts';
import { RowNumbers } from '../../build/row-numbers.ts';
import { MAX_FRAMES_PER_STACK, type StackBuilder } from '../../build/stacks.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, processIn, within } from './export-tables.ts';
import type { ExportStrings } from './strings.ts';

/** Of the row of a chain that was read first. */
const NO_ROW = -1;

/** The rows of a table of chains. In typed arrays: there are several for each sample of a CPU. */
class ChainRows {
  /** The numbers of chains by their ids. */
  readonly numbers = new IdMap();
  chains = 0;
  /** By chain, the row of it that was read last. */
  last: Int32Array;
  /** By chain, 1 where its innermost frame is the kernel’s. */
  inKernel: Uint8Array;
  /** By row, the one of the same chain that was read before it. */
  before: Int32Array;
  /** By row; 0 = the innermost. */
  depth: Uint16Array;
  /** By row, the number of a frame. */
  frame: Int32Array;
  #count = 0;
  /** Of the row before: the frames of one chain stand together. */
  #lastId = NaN;
  #lastChain = NONE;

  constructor(expected: number) {
    this.last = new Int32Array(expected);
    this.inKernel = new Uint8Array(expected);
    this.before = new Int32Array(expected);
    this.depth = new Uint16Array(expected);
    this.frame = new Int32Array(expected);
  }

  /** Makes room for so many more: a damaged file has more rows than it says. */
  reserve(count: number): void {
    const room = this.#count + count;
    if (room <= this.frame.length) return;
    this.last = longer(this.last, 2 * room);
    this.inKernel = longer(this.inKernel, 2 * room);
    this.before = longer(this.before, 2 * room);
    this.depth = longer(this.depth, 2 * room);
    this.frame = longer(this.frame, 2 * room);
  }

  add(id: number, depth: number, frame: number, isKernel: boolean): void {
    const chain = id === this.#lastId ? this.#lastChain : this.#chainOf(id);
    const row = this.#count++;
    this.before[row] = this.last[chain];
    this.last[chain] = row;
    this.depth[row] = depth;
    this.frame[row] = frame;
    if (depth === 0 && isKernel) this.inKernel[chain] = 1;
  }

  #chainOf(id: number): number {
    let chain = this.numbers.positionOf(id);
    if (chain === NONE) {
      chain = this.chains++;
      this.numbers.set(id, chain);
      this.last[chain] = NO_ROW;
    }
    this.#lastId = id;
    this.#lastChain = chain;
    return chain;
  }

  /** By chain, its index into stacks. A depth that no row has leaves no hole. */
  stacksOf(stacks: StackBuilder): Int32Array {
    const result = new Int32Array(this.chains);
    const frames = new Int32Array(MAX_FRAMES_PER_STACK).fill(NONE);
    for (let chain = 0; chain < this.chains; chain++) {
      let deepest = NONE;
      for (let row = this.last[chain]; row !== NO_ROW; row = this.before[row]) {
        const depth = this.depth[row];
        // Of two rows of one depth the later one counts.
        if (frames[depth] === NONE) frames[depth] = this.frame[row];
        if (depth > deepest) deepest = depth;
      }
      let stack = NONE;
      for (let depth = deepest; depth >= 0; depth--) {
        if (frames[depth] !== NONE) stack = stacks.stack(stack, frames[depth]);
        frames[depth] = NONE;
      }
      result[chain] = stack;
    }
    return result;
  }
}

/** The chains of calls of a table, by number. */
export class Chains {
  readonly count: number;
  /** Index into stacks. */
  readonly stacks: Int32Array;
  /** 1 where the innermost frame is the kernel’s. */
  readonly inKernel: Uint8Array;
  readonly #numbers: IdMap;

  constructor(
    tables: ExportTables,
    table: 'SAMPLING_CALLCHAINS' | 'CUDA_CALLCHAINS',
    strings: ExportStrings,
    stacks: StackBuilder,
  ) {
    const rows = new ChainRows(tables.count(table));
    const frameOf = frameNumbers(strings, stacks);
    const columns = ['id', 'symbol', 'module', 'kernelMode', 'stackDepth'];
    for (const { count, cells } of tables.pages(table, columns)) {
      const [ids, symbol, module, kernelMode, depths] = cells;
      rows.reserve(count);
      for (let at = 0; at < count; at++) {
        const id = within(ids[at], MAX_ID, NONE);
        const depth = within(depths[at], MAX_FRAMES_PER_STACK - 1, NONE);
        if (id === NONE || depth === NONE) continue;
        rows.add(id, depth, frameOf(symbol[at], module[at]), kernelMode[at] === 1);
      }
    }
    this.count = rows.chains;
    this.stacks = rows.stacksOf(stacks);
    this.inKernel = rows.inKernel;
    this.#numbers = rows.numbers;
  }

  /** The number of the chain with this id; NONE where there is none. */
  numberOf(id: Cell | undefined): number {
    return this.#numbers.positionOf(within(id, MAX_ID, NONE));
  }
}

/** The number of the frame of a symbol and a module, by the numbers of their texts: few frames are many rows. */
function frameNumbers(strings: ExportStrings, stacks: StackBuilder) {
  const pairs = new RowNumbers(2);
  const frames: number[] = [];
  return (symbol: number, module: number): number => {
    const [ofText, ofFile] = [within(symbol, MAX_I32, NONE), within(module, MAX_I32, NONE)];
    const pair = pairs.numberOf(ofText, ofFile);
    if (pair === frames.length) {
      const text = stacks.text(strings.of(ofText));
      const file = strings.find(ofFile);
      frames.push(
        stacks.frame(text, file === undefined ? NONE : stacks.text(file), NONE, 'native'),
      );
    }
    return frames[pair];
  };
}

/** Calls of CUDA's runtime and driver. */
export const CALLS = 'CUPTI_ACTIVITY_KIND_RUNTIME';
/** Exports of 2022 have a second row of each call that was long enough for a stack, and only that one names it. */
export const BACKTRACE_CLASS = 67;
const MAX_U32 = 2 ** 32 - 1;
const MAX_I32 = 2 ** 31 - 1;
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** In which code CUDA was called, where that was recorded. */
export class CallStacks {
  readonly #chains: Chains;
  /** Ids of chains by process and correlation id, of second rows. */
  readonly #second = new Map<number, Map<number, number>>();

  constructor(tables: ExportTables, strings: ExportStrings, stacks: StackBuilder) {
    this.#chains = new Chains(tables, 'CUDA_CALLCHAINS', strings, stacks);
    if (!this.any) return;
    const columns = ['eventClass', 'correlationId', 'callchainId', processIn('globalTid')];
    for (const { count, cells } of tables.pages(CALLS, columns)) {
      const [kind, correlation, chain, pid] = cells;
      for (let at = 0; at < count; at++) {
        if (kind[at] !== BACKTRACE_CLASS || !Number.isFinite(chain[at])) continue;
        const process = integerOr(pid[at], 0);
        const own = this.#second.get(process) ?? new Map<number, number>();
        this.#second.set(process, own.set(within(correlation[at], MAX_U32, 0), chain[at]));
      }
    }
  }

  get any(): boolean {
    return this.#chains.count > 0;
  }

  /** The stack of a call: that of its own row, or of the second one. */
  of(chain: Cell | undefined, pid: Cell | undefined, correlation: number): number {
    const id = integerOr(chain, undefined) ?? this.#second.get(integerOr(pid, 0))?.get(correlation);
    return this.#chains.stacks[this.#chains.numberOf(id)] ?? NONE;
  }
}
