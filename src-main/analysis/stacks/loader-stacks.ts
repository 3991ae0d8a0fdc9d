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
import { cutStacks } from './cut-stacks.ts';
import { type CalledAs, fetchLines } from './fetch-lines.ts';

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
  /** The outermost function of the job's own from there inwards: what wrappers of a library called; `entry` where there is none. */
  readonly called: Int32Array;
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
  const whole = foldStacks(stacks, new Int32Array(length), NONE, (outer, frame, stack) => {
    // Of the fetcher's own frames the innermost counts: what it calls comes after.
    if (kinds[frame] & (IS_FETCH | IS_LOOP) || fetch[stack] === NONE) return NONE;
    return outer === NONE && kinds[frame] & IS_PYTHON ? stack : outer;
  });
  const isItemLine = fetchLines(stacks, fetcherCalls(stacks, fetch, whole));
  const stageOf = (stack: number): LoaderStage => {
    if (fetch[stack] !== NONE) return fetchStage(stacks, fetch[stack], whole[stack], isItemLine);
    if (loop[stack] !== NONE) return 'loader';
    return python[stack] === NONE ? 'unknown' : 'elsewhere';
  };
  const ofWhole = foldStacks(stacks, new Uint8Array(length), 0, (outer, _frame, stack) =>
    // What the function calls is in the same stage.
    whole[stack] !== NONE && whole[stack] !== stack ? outer : codeOf(loaderStages, stageOf(stack)),
  );
  const cut = cutStacks(stacks, whole, ofWhole);
  const isWithin = (stack: number) => whole[stack] !== NONE || loop[stack] !== NONE;
  const entry = foldStacks(stacks, new Int32Array(length), NONE, (outer, frame, stack) => {
    if (isWithin(stack)) return whole[stack];
    return cut.has(stack) ? stack : kinds[frame] & IS_LOOP ? NONE : outer;
  });
  const stage = ofWhole.map((known, stack) =>
    entry[stack] === NONE || isWithin(stack) ? known : (cut.get(entry[stack]) ?? known),
  );
  const own = innermost(IS_OWN);
  return { stage, entry, called: ownCalls(stacks, kinds, entry), own, python };
});

function ownCalls(stacks: Stacks, kinds: Uint8Array, entry: Int32Array): Int32Array {
  return foldStacks(stacks, new Int32Array(stacks.length), NONE, (outer, frame, stack) => {
    if (entry[stack] === NONE) return NONE;
    const isKnown = entry[stack] !== stack && (kinds[stacks.frame[outer]] & IS_OWN) !== 0;
    return isKnown || !(kinds[frame] & IS_OWN) ? (entry[stack] === stack ? stack : outer) : stack;
  });
}

/** Each call of the fetcher that is on a stack. */
function* fetcherCalls(stacks: Stacks, fetch: Int32Array, entry: Int32Array) {
  for (let stack = 0; stack < stacks.length; stack++)
    if (entry[stack] === stack)
      yield { fetch: fetch[stack], as: calledAs(stacks, fetch[stack], stack) };
}

function calledAs(stacks: Stacks, fetch: number, entry: number): CalledAs {
  if (COMPREHENSION.test(symbolOf(stacks, stacks.frame[fetch]))) return 'item';
  const frame = stacks.frame[entry];
  const file = fileOf(stacks, frame);
  if (ITEM_FUNCTION.test(symbolOf(stacks, frame)) || ITEM_FILE.test(file)) return 'item';
  return COLLATE_FILE.test(file) ? 'collate' : 'unknown';
}

/** `fetch`: the innermost frame of the fetcher, which calls the dataset and then the collate_fn. */
function fetchStage(
  stacks: Stacks,
  fetch: number,
  entry: number,
  isItemLine: (fetch: number) => boolean,
): LoaderStage {
  if (entry === NONE)
    return COMPREHENSION.test(symbolOf(stacks, stacks.frame[fetch])) ? 'item' : 'loader';
  switch (calledAs(stacks, fetch, entry)) {
    case 'item':
      return 'item';
    case 'collate':
      return 'default-collate';
    default:
      return isItemLine(fetch) ? 'item' : 'collate';
  }
}
