import type { Frame, Trace } from '../../shared/model/trace.ts';
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

export interface LoaderStack {
  readonly stage: LoaderStage;
  /** Leaf first, without what a forked worker inherited of its parent's stack. */
  readonly frames: readonly Frame[];
  /** Index into `frames` of the function that the loader called: `__getitem__`, the collate_fn. */
  readonly entry?: number;
}

const WORKER_LOOP = /(^|\.)_worker_loop$/;
const FETCH_FILE = /\/torch\/utils\/data\/_utils\/fetch\.py$/;
const COLLATE_FILE = /\/torch\/utils\/data\/_utils\/collate\.py$/;
const ITEM_FUNCTION = /(^|\.)(__getitem__|__getitems__|__next__|__iter__)$/;
const ITEM_FILE = /\/torch\/utils\/data\/(datapipes\/|dataset\.py$)/;
const COMPREHENSION = /<listcomp>$/;

const readStacks = perStacks(({ length }) => new Array<LoaderStack | undefined>(length));

/** Stack number `stack` of the trace, read once. */
export function loaderStack(trace: Pick<Trace, 'stacks'>, stack: number): LoaderStack {
  const { stacks } = trace;
  const all = readStacks(trace);
  const read = all[stack] ?? readStack(stacks[stack] ?? []);
  if (stack in stacks) all[stack] = read;
  return read;
}

function readStack(whole: readonly Frame[]): LoaderStack {
  const loop = whole.findIndex(({ symbol }) => WORKER_LOOP.test(symbol));
  const frames = loop < 0 ? whole : whole.slice(0, loop + 1);
  const fetch = frames.findIndex(({ file }) => file !== undefined && FETCH_FILE.test(file));
  if (fetch >= 0) return { frames, ...readFetch(frames, fetch) };
  if (loop >= 0) return { frames, stage: 'loader' };
  const hasPython = frames.some(({ language }) => language === 'python');
  return { frames, stage: hasPython ? 'elsewhere' : 'unknown' };
}

/** `fetch`: the innermost frame of the fetcher, which calls the dataset and then the collate_fn. */
function readFetch(frames: readonly Frame[], fetch: number): Omit<LoaderStack, 'frames'> {
  const isItem = COMPREHENSION.test(frames[fetch].symbol);
  const entry = frames.slice(0, fetch).findLastIndex(({ language }) => language === 'python');
  if (entry < 0) return { stage: isItem ? 'item' : 'loader' };
  const { symbol, file = '' } = frames[entry];
  if (isItem || ITEM_FUNCTION.test(symbol) || ITEM_FILE.test(file)) return { stage: 'item', entry };
  return { stage: COLLATE_FILE.test(file) ? 'default-collate' : 'collate', entry };
}

const LIBRARY_FILE = /^<|\/(site|dist)-packages\/|\/lib(64)?\/python\d/;

/** Whether a frame is code of the job's own: Python outside of installed packages. */
export function isOwnCode({ language, file }: Frame): boolean {
  return language === 'python' && file !== undefined && !LIBRARY_FILE.test(file);
}
