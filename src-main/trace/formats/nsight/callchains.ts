import { NONE } from '../../../shared/model/schema.ts';
import { RowNumbers } from '../../build/row-numbers.ts';
import { MAX_FRAMES_PER_STACK, type StackBuilder } from '../../build/stacks.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, processIn, within } from './export-tables.ts';
import type { ExportStrings } from './strings.ts';

/** A chain of calls. */
interface Chain {
  /** Numbers of frames by depth, 0 = the innermost; a depth that is missing leaves a hole. */
  readonly frames: number[];
  /** Whether its innermost frame is the kernel’s. */
  inKernel: boolean;
  /** Index into stacks. */
  stack: number;
}

/** The chains of a table, by their ids. */
export type Chains = ReadonlyMap<number, Readonly<Chain>>;

export function readChains(
  tables: ExportTables,
  table: 'SAMPLING_CALLCHAINS' | 'CUDA_CALLCHAINS',
  strings: ExportStrings,
  stacks: StackBuilder,
): Chains {
  const chains = new Map<number, Chain>();
  const frameOf = frameNumbers(strings, stacks);
  /** The chain of the row before: the frames of one stand together. */
  let last = noFrames();
  let lastId = NaN;
  const columns = ['id', 'symbol', 'module', 'kernelMode', 'stackDepth'];
  for (const { count, cells } of tables.pages(table, columns)) {
    const [id, symbol, module, kernelMode, depth] = cells;
    for (let at = 0; at < count; at++) {
      const place = within(depth[at], MAX_FRAMES_PER_STACK - 1, NONE);
      if (!Number.isFinite(id[at]) || place === NONE) continue;
      if (id[at] !== lastId) {
        lastId = id[at];
        const known = chains.get(lastId);
        last = known ?? noFrames();
        if (known === undefined) chains.set(lastId, last);
      }
      if (place === 0 && kernelMode[at] === 1) last.inKernel = true;
      last.frames[place] = frameOf(symbol[at], module[at]);
    }
  }
  for (const chain of chains.values())
    chain.stack = stacks.stackOf(chain.frames.filter(() => true));
  return chains;
}

const noFrames = (): Chain => ({ frames: [], inKernel: false, stack: NONE });

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

/** In which code CUDA was called, where that was recorded. */
export class CallStacks {
  readonly #chains: Chains;
  /** Ids of chains by process and correlation id, of second rows. */
  readonly #second = new Map<number, Map<number, number>>();

  constructor(tables: ExportTables, strings: ExportStrings, stacks: StackBuilder) {
    this.#chains = readChains(tables, 'CUDA_CALLCHAINS', strings, stacks);
    if (this.#chains.size === 0) return;
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
    return this.#chains.size > 0;
  }

  /** The stack of a call: that of its own row, or of the second one. */
  of(chain: Cell | undefined, pid: Cell | undefined, correlation: number): number {
    const id = integerOr(chain, undefined) ?? this.#second.get(integerOr(pid, 0))?.get(correlation);
    return id === undefined ? NONE : (this.#chains.get(id)?.stack ?? NONE);
  }
}
