import { codeOf } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import {
  codesOfFrames,
  type Frame,
  fileOf,
  foldStacks,
  type Stacks,
  symbolOf,
} from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';

/**
 * What a stack says about PyTorch's DataLoader. Its files and functions are those of PyTorch 1.13 to
 * 2.x: `torch/utils/data/_utils/{fetch,collate,worker}.py`.
 */

/**
 * `item`: in the dataset, `__getitem__` or its iterator. `collate`: in a collate_fn of the job's own.
 * `default-collate`: in PyTorch's. `loader`: elsewhere in the loop of a worker, its queues included.
 * `elsewhere`: in Python outside the loader. `unknown`: no Python frames.
 */
export const loaderStages = [
  'unknown',
  'elsewhere',
  'loader',
  'item',
  'collate',
  'default-collate',
] as const;
export type LoaderStage = (typeof loaderStages)[number];

/**
 * By stack. What a forked worker inherited of its parent's stack is left out: all of it that lies
 * outside of the worker's loop. Places on a stack are rows of the stacks; -1 = there is none.
 */
export interface LoaderStacks {
  /** Index into loaderStages. */
  readonly stage: Uint8Array;
  /** The function that the loader called: `__getitem__`, the collate_fn. */
  readonly entry: Int32Array;
  /** The innermost frame of the job's own code. */
  readonly own: Int32Array;
  /** The innermost Python frame. */
  readonly python: Int32Array;
}

const WORKER_LOOP = /(^|\.)_worker_loop$/;
/** PyTorch's loader as its user calls it, 1.13 to 2.x. */
export const LOADER_FILE = /\/torch\/utils\/data\/dataloader\.py$/;
const FETCH_FILE = /\/torch\/utils\/data\/_utils\/fetch\.py$/;
const COLLATE_FILE = /\/torch\/utils\/data\/_utils\/collate\.py$/;
const ITEM_FUNCTION = /(^|\.)(__getitem__|__getitems__|__next__|__iter__)$/;
const ITEM_FILE = /\/torch\/utils\/data\/(datapipes\/|dataset\.py$)/;
const COMPREHENSION = /<listcomp>$/;

const LIBRARY_FILE = /^<|\/(site|dist)-packages\/|\/lib(64)?\/python\d/;

/** Whether a frame is code of the job's own: Python outside of installed packages. */
export function isOwnCode({ language, file }: Frame): boolean {
  return language === 'python' && file !== undefined && !LIBRARY_FILE.test(file);
}

/** Whether a frame is the loop in which a worker makes batches. */
export function isWorkerLoop({ symbol }: Frame): boolean {
  return WORKER_LOOP.test(symbol);
}

const [IS_LOOP, IS_FETCH, IS_OWN, IS_PYTHON] = [1, 2, 4, 8];

function kindOf(frame: Frame): number {
  return (
    (isWorkerLoop(frame) ? IS_LOOP : 0) |
    (FETCH_FILE.test(frame.file ?? '') ? IS_FETCH : 0) |
    (isOwnCode(frame) ? IS_OWN : 0) |
    (frame.language === 'python' ? IS_PYTHON : 0)
  );
}

/** What the stacks of a trace say, each read once. */
export const loaderStacks = perStacks((stacks): LoaderStacks => {
  const { length } = stacks;
  const kinds = codesOfFrames(stacks, kindOf);
  /** The innermost row of a kind, of those inside the loop. */
  const innermost = (kind: number) =>
    foldStacks(stacks, new Int32Array(length), NONE, (outer, frame, stack) => {
      if (kinds[frame] & kind) return stack;
      return kinds[frame] & IS_LOOP ? NONE : outer;
    });
  const [loop, fetch, python] = [IS_LOOP, IS_FETCH, IS_PYTHON].map(innermost);
  const entry = foldStacks(stacks, new Int32Array(length), NONE, (outer, frame, stack) => {
    // Of the fetcher's own frames the innermost counts: what it calls comes after.
    if (kinds[frame] & (IS_FETCH | IS_LOOP) || fetch[stack] === NONE) return NONE;
    return outer === NONE && kinds[frame] & IS_PYTHON ? stack : outer;
  });
  const stageOf = (stack: number): LoaderStage => {
    if (fetch[stack] !== NONE) return fetchStage(stacks, fetch[stack], entry[stack]);
    if (loop[stack] !== NONE) return 'loader';
    return python[stack] === NONE ? 'unknown' : 'elsewhere';
  };
  const stage = foldStacks(stacks, new Uint8Array(length), 0, (outer, _frame, stack) =>
    // What the function calls is in the same stage.
    entry[stack] !== NONE && entry[stack] !== stack ? outer : codeOf(loaderStages, stageOf(stack)),
  );
  return { stage, entry, own: innermost(IS_OWN), python };
});

/** `fetch`: the innermost frame of the fetcher, which calls the dataset and then the collate_fn. */
function fetchStage(stacks: Stacks, fetch: number, entry: number): LoaderStage {
  const isItem = COMPREHENSION.test(symbolOf(stacks, stacks.frame[fetch]));
  if (entry === NONE) return isItem ? 'item' : 'loader';
  const frame = stacks.frame[entry];
  const file = fileOf(stacks, frame);
  if (isItem || ITEM_FUNCTION.test(symbolOf(stacks, frame)) || ITEM_FILE.test(file)) return 'item';
  return COLLATE_FILE.test(file) ? 'default-collate' : 'collate';
}
