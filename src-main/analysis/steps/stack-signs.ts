import type { Frame } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';

/** What the stacks of a trace say of the training loop, worked out once for each stack. */
export interface StackSigns {
  /** By stack: see the signs below. */
  readonly signs: Uint8Array;
  /** By stack: a number for its Python call site, equal for equal lines all the way up; -1 = none. */
  readonly sites: Int32Array;
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
const COLLECTIVE_FILE = /[/\\]torch[/\\]distributed[/\\](distributed_c10d|nn[/\\])/;
const COLLECTIVE_FUNCTION =
  /^nccl|ProcessGroup|c10d::|\dc10d\d|(^|\.)(all_reduce|all_gather|reduce_scatter|barrier|broadcast)(_\w+)?$/;

/** The signs of every stack of `trace`, kept with it. */
export const stackSigns = perStacks((stacks): StackSigns => {
  const numbers = new Map<string, number>();
  const sites = Int32Array.from(stacks, (frames) => {
    const text = siteText(frames);
    if (text === '') return -1;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  });
  return { signs: Uint8Array.from(stacks, signOf), sites };
});

function siteText(frames: readonly Frame[]): string {
  return frames
    .filter(({ language }) => language === 'python')
    .map(({ symbol, file, line }) => `${symbol} ${file} ${line}`)
    .join('\n');
}

function signOf(frames: readonly Frame[]): number {
  let sign = SIGN_NONE;
  for (const { symbol, file = '', language } of frames) {
    if (COLLECTIVE_FUNCTION.test(symbol) || COLLECTIVE_FILE.test(file)) return SIGN_COLLECTIVE;
    if (language !== 'python') continue;
    if (LOADER_FILE.test(file) || LOADER_FUNCTION.test(symbol)) sign = SIGN_LOADER;
    else if (sign === SIGN_NONE) sign = SIGN_OTHER;
  }
  return sign;
}
