import {
  bitsOfStacks,
  codesOfFrames,
  type Frame,
  foldStacks,
  isPython,
  type Stacks,
} from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';

/** What the stacks of a trace say of the training loop, worked out once for each stack. */
export interface StackSigns {
  /** By stack: see the signs below. */
  readonly signs: Uint8Array;
  /** By stack: a number for its Python call site, equal for equal lines all the way up; -1 = none. */
  readonly sites: Int32Array;
  /** By stack: 1 = PyTorch may wait for other ranks there in threads of its own, of which no line of Python tells. */
  readonly meets: Uint8Array;
  /** By stack: 1 = the loader is on it, whatever it calls to come by its batch. */
  readonly loads: Uint8Array;
}

/** The stack has no Python frame: it says nothing of the loop. */
export const SIGN_NONE = 0;
/** Python ran, outside the loader and outside collectives. */
const SIGN_OTHER = 1;
/** The loader's `__next__`, or the making of its iterator, is on the stack. */
export const SIGN_LOADER = 2;
/** A collective operation between ranks is on the stack. */
export const SIGN_COLLECTIVE = 3;

/** PyTorch's loader and what it calls in the training process (torch/utils/data/). */
const LOADER_FILE = /[/\\]torch[/\\]utils[/\\]data[/\\]/;
/** The iterator's and the dataset's protocol, also as `Rows.__getitem__`; or a class of that name. */
const LOADER_FUNCTION = /(^|\.)__(next|getitem|getitems)__$|DataLoader\w*\.__(iter|next)__$/;
/** Of these, asking how many batches there are loads none, whatever the job's own `__len__` does for it. */
const LENGTH_FUNCTION = /(^|\.)(__len__|_index_sampler|_auto_collation)$/;
const COLLECTIVE_FILE = /[/\\]torch[/\\]distributed[/\\](distributed_c10d|nn[/\\])/;
const COLLECTIVE_FUNCTION =
  /^nccl|ProcessGroup|c10d::|\dc10d\d|(^|\.)(all_reduce|all_gather|reduce_scatter|barrier|broadcast)(_\w+)?$/;

/** Backward passes reduce gradients, and a model in parts gathers them in its forward pass (PyTorch 1.13 to 2.x). */
const MEETING_FILE =
  /[/\\]torch[/\\](autograd[/\\](__init__|graph|function)|_tensor|nn[/\\]parallel[/\\]distributed|distributed[/\\](fsdp|tensor)[/\\].*)\.py$/;

/** The signs of every stack of `trace`, kept with it. */
export const stackSigns = perStacks((stacks): StackSigns => {
  const ofFrame = codesOfFrames(stacks, signOf);
  const signs = foldStacks(stacks, new Uint8Array(stacks.length), SIGN_NONE, (caller, frame) =>
    Math.max(caller, ofFrame[frame]),
  );
  const meets = bitsOfStacks(stacks, ({ file = '' }) => Number(MEETING_FILE.test(file)));
  const loads = bitsOfStacks(stacks, (frame) => Number(isLoader(frame)));
  return { signs, sites: sitesOf(stacks), meets, loads };
});

function sitesOf(stacks: Stacks): Int32Array {
  const numbers = new Map<number, number>();
  return foldStacks(stacks, new Int32Array(stacks.length), -1, (caller, frame) => {
    if (!isPython(stacks, frame)) return caller;
    const key = (caller + 1) * stacks.frames.length + frame;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** A stack says what the greatest sign of its frames says. */
function signOf({ symbol, file = '', language }: Frame): number {
  if (COLLECTIVE_FUNCTION.test(symbol) || COLLECTIVE_FILE.test(file)) return SIGN_COLLECTIVE;
  if (language !== 'python') return SIGN_NONE;
  return isLoader({ symbol, file, language }) ? SIGN_LOADER : SIGN_OTHER;
}

function isLoader({ symbol, file = '', language }: Frame): boolean {
  if (language !== 'python') return false;
  return (LOADER_FILE.test(file) && !LENGTH_FUNCTION.test(symbol)) || LOADER_FUNCTION.test(symbol);
}
