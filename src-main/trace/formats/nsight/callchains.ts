import { NONE } from '../../../shared/model/schema.ts';
import { MAX_FRAMES_PER_STACK, type StackBuilder } from '../../build/stacks.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, processIn, within } from './export-tables.ts';
import type { ExportStrings } from './strings.ts';

/** The stacks of a table of call chains. */
export interface Chains {
  /** Index into stacks of the chain of this id. */
  readonly stacks: ReadonlyMap<number, number>;
  /** Ids of those whose innermost frame is the kernel’s. */
  readonly inKernel: ReadonlySet<number>;
}

export function readChains(
  tables: ExportTables,
  table: 'SAMPLING_CALLCHAINS' | 'CUDA_CALLCHAINS',
  strings: ExportStrings,
  stacks: StackBuilder,
): Chains {
  /** Numbers of frames by depth, 0 = the innermost; a depth that is missing leaves a hole. */
  const frames = new Map<number, number[]>();
  const inKernel = new Set<number>();
  const columns = ['id', 'symbol', 'module', 'kernelMode', 'stackDepth'];
  for (const { count, cells } of tables.pages(table, columns)) {
    const [id, symbol, module, kernelMode, depth] = cells;
    for (let at = 0; at < count; at++) {
      const place = within(depth[at], MAX_FRAMES_PER_STACK - 1, NONE);
      if (!Number.isFinite(id[at]) || place === NONE) continue;
      const chain = frames.get(id[at]) ?? [];
      frames.set(id[at], chain);
      if (place === 0 && kernelMode[at] === 1) inKernel.add(id[at]);
      const text = stacks.text(strings.of(symbol[at]));
      chain[place] = stacks.frame(text, fileOf(module[at]), NONE, 'native');
    }
  }
  const found = new Map<number, number>();
  for (const [id, chain] of frames) found.set(id, stacks.stackOf(chain.filter(() => true)));
  return { stacks: found, inKernel };

  function fileOf(module: Cell | undefined): number {
    const file = strings.find(module);
    return file === undefined ? NONE : stacks.text(file);
  }
}

/** Calls of CUDA's runtime and driver. */
export const CALLS = 'CUPTI_ACTIVITY_KIND_RUNTIME';
/** Exports of 2022 have a second row of each call that was long enough for a stack, and only that one names it. */
export const BACKTRACE_CLASS = 67;
const MAX_U32 = 2 ** 32 - 1;

/** In which code CUDA was called, where that was recorded. */
export class CallStacks {
  readonly #chains: ReadonlyMap<number, number>;
  /** Ids of chains by process and correlation id, of second rows. */
  readonly #second = new Map<number, Map<number, number>>();

  constructor(tables: ExportTables, strings: ExportStrings, stacks: StackBuilder) {
    this.#chains = readChains(tables, 'CUDA_CALLCHAINS', strings, stacks).stacks;
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
    return id === undefined ? NONE : (this.#chains.get(id) ?? NONE);
  }
}
