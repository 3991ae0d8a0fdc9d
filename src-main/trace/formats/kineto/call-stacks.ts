import type { Columns } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Frame } from '../../../shared/model/stacks.ts';
import type { StackBuilder } from '../../build/stacks.ts';

/** `train.py(62): main`, as the profiler calls Python's functions. */
const PYTHON_FUNCTION = /^([^\n]*)\((\d{1,9})\): ([^\n]*)$/;
/** One frame for a method of whatever object. */
const ADDRESS = / object at 0x[0-9a-f]+/g;
/** Steps have no end of numbers; that a call is in one is no caller. */
const STEP = /^ProfilerStep#/;
const PYTHON = 'python_function';
/** Ranges that a call is made in; `python_function` is there only with `with_stack`. */
const CALLERS = new Set([PYTHON, 'cpu_op', 'user_annotation', 'Operator']);

interface Open {
  readonly endNs: number;
  readonly stack: number;
}

/**
 * Writes the stack of each call: the ranges on its thread that it was made in, from the outermost inwards. Ranges and
 * calls are sorted by start, what encloses before what it encloses.
 */
export function stackCalls(
  calls: Columns<'cuda_call'> | undefined,
  ranges: Columns<'range'> | undefined,
  names: readonly string[],
  stacks: StackBuilder,
): void {
  if (calls?.stack === undefined || ranges === undefined) return;
  const frames = new FrameNumbers(names, stacks);
  const open = new Map<number, Open[]>();
  const openOn = (thread: number, startNs: number) => {
    const known = open.get(thread) ?? [];
    if (known.length === 0) open.set(thread, known);
    while (known.length > 0 && known[known.length - 1].endNs <= startNs) known.pop();
    return known;
  };
  let range = 0;
  for (let row = 0; row < calls.startNs.length; row++) {
    for (; range < ranges.startNs.length && ranges.startNs[range] <= calls.startNs[row]; range++) {
      const frame = frames.of(ranges.category[range], ranges.op[range]);
      if (frame === NONE || ranges.thread[range] === NONE || !(ranges.durationNs[range] > 0))
        continue;
      const startNs = ranges.startNs[range];
      const around = openOn(ranges.thread[range], startNs);
      const stack = stacks.stack(around.at(-1)?.stack ?? NONE, frame);
      around.push({ endNs: startNs + ranges.durationNs[range], stack });
    }
    if (calls.thread[row] === NONE) continue;
    calls.stack[row] = openOn(calls.thread[row], calls.startNs[row]).at(-1)?.stack ?? NONE;
  }
}

/** Frames by the names of ranges, each worked out once. */
class FrameNumbers {
  readonly #names: readonly string[];
  readonly #stacks: StackBuilder;
  readonly #known = new Map<number, number>();

  constructor(names: readonly string[], stacks: StackBuilder) {
    this.#names = names;
    this.#stacks = stacks;
  }

  /** `NONE` of what no call is made in. */
  of(category: number, name: number): number {
    const key = category * this.#names.length + name;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const frame = this.#frame(this.#names[category] ?? '', this.#names[name] ?? '');
    this.#known.set(key, frame);
    return frame;
  }

  #frame(category: string, name: string): number {
    if (!CALLERS.has(category) || STEP.test(name)) return NONE;
    const { symbol, file, line = NONE, language } = frameOf(category, name);
    const text = (each: string) => this.#stacks.text(each);
    return this.#stacks.frame(text(symbol), file === undefined ? NONE : text(file), line, language);
  }
}

function frameOf(category: string, name: string): Frame {
  if (category !== PYTHON) return { symbol: name, language: 'native' };
  const [, file, line, symbol] = PYTHON_FUNCTION.exec(name) ?? [];
  if (file === undefined || line === undefined || symbol === undefined)
    return { symbol: name.replace(ADDRESS, ''), language: 'python' };
  return { symbol, file, line: Number(line), language: 'python' };
}
