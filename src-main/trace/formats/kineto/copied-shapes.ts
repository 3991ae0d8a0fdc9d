import { codeOf, directions } from '../../../shared/model/codes.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Cells } from '../../build/rows.ts';
import type { TraceEvent } from '../../event-json/trace-event.ts';

/** The operator that a tensor is copied in, from one device to another too. */
export const COPY = 'aten::copy_';
/** Of the shapes of what an operator was given, the first: where it copies to. There with `record_shapes` only. */
const FIRST_SHAPE = /"Input [Dd]ims":\s*\[\[([\d, ]*)\]/;
const LONGEST_ARGS = 2 ** 14;
/** More steps say nothing new. */
const MAX_COPIES = 100_000;
/** A batch that is seen once may be the only one of its size. */
const MIN_TIMES = 2;
const H2D = codeOf(directions, 'H2D');

interface Copied {
  readonly startNs: number;
  readonly endNs: number;
  readonly shape: readonly number[];
}

interface Calls {
  readonly count: number;
  readonly columns: {
    readonly startNs: Cells;
    readonly thread: Cells;
    readonly correlation: Cells;
  };
}

interface Work {
  readonly count: number;
  readonly columns: {
    readonly direction: Cells;
    readonly correlation: Cells;
  };
}

/** The shapes of tensors that were copied, by which the size of a batch is known. Times as the events have them. */
export class CopiedShapes {
  readonly #byThread = new Map<number, Copied[]>();
  #count = 0;

  /** Keeps what a `COPY` says of its tensor, if it does. */
  add(
    { startNs, argsFrom, argsTo }: TraceEvent,
    durationNs: number,
    thread: number,
    bytes: Buffer,
  ) {
    if (argsTo === 0 || thread === NONE || this.#count === MAX_COPIES) return;
    const args = bytes.toString('latin1', argsFrom, Math.min(argsTo, argsFrom + LONGEST_ARGS));
    const found = FIRST_SHAPE.exec(args)?.[1];
    if (found === undefined) return;
    const shape = found.split(',').map(Number);
    const own = this.#byThread.get(thread) ?? [];
    if (own.length === 0) this.#byThread.set(thread, own);
    own.push({ startNs, endNs: startNs + durationNs, shape: found.trim() === '' ? [] : shape });
    this.#count++;
  }

  /**
   * How many samples a batch has: the first dimension of each tensor that was copied to a GPU, where some have only
   * that one, as labels do, and others more. `undefined` where one is of another size, or not known.
   */
  batchSize(calls: Calls, work: Work): number | undefined {
    if (this.#count === 0) return undefined;
    for (const own of this.#byThread.values()) own.sort((a, b) => a.startNs - b.startNs);
    const toGpu = new Set<number>();
    for (let row = 0; row < work.count; row++)
      if (work.columns.direction[row] === H2D) toGpu.add(work.columns.correlation[row]);
    let [size, labels, samples, copies] = [0, 0, 0, 0];
    for (let row = 0; row < calls.count; row++) {
      if (!toGpu.has(calls.columns.correlation[row])) continue;
      const shape = this.#around(calls.columns.thread[row], calls.columns.startNs[row]);
      const [first = 0] = shape ?? [];
      if (first === 0 || (size !== 0 && first !== size)) return undefined;
      size = first;
      copies++;
      if (shape?.length === 1) labels++;
      else samples++;
    }
    const isSeenOften = labels >= MIN_TIMES && samples >= MIN_TIMES;
    return isSeenOften && copies === toGpu.size ? size : undefined;
  }

  /** What was copied on a thread at a time. */
  #around(thread: number, ns: number): readonly number[] | undefined {
    const own = this.#byThread.get(thread) ?? [];
    const at = own.findLastIndex(({ startNs }) => startNs <= ns);
    const copied = own[at];
    return copied !== undefined && copied.endNs >= ns ? copied.shape : undefined;
  }
}
