import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { isOwnCode, LOADER_FILE } from './loader-stacks.ts';

const NEXT_INDEX = /(^|\.)_next_index$/;

const [IS_PYTHON, IS_OWN, IS_NEXT_INDEX] = [1, 2, 3];

function kindOf(frame: Frame): number {
  const { symbol, file = '', language } = frame;
  if (language !== 'python') return 0;
  if (LOADER_FILE.test(file) && NEXT_INDEX.test(symbol)) return IS_NEXT_INDEX;
  return isOwnCode(frame) ? IS_OWN : IS_PYTHON;
}

/**
 * Where the training process picks which samples the next batch has: the loader's `_next_index` asks the sampler or the
 * batch sampler, for each batch, also where workers then make it. By stack, the row with the innermost function that
 * picks, of the job's own where one is; -1 = it does not pick. Files and functions are those of PyTorch 1.13 to 2.x.
 */
export const samplingFunctions = perStacks((stacks): Int32Array => {
  const kinds = codesOfFrames(stacks, kindOf);
  return foldStacks(stacks, new Int32Array(stacks.length), NONE, (outer, frame, stack) => {
    if (kinds[frame] === IS_NEXT_INDEX) return stack;
    if (outer === NONE) return NONE;
    const isInOwn = kinds[stacks.frame[outer]] === IS_OWN;
    return kinds[frame] === IS_OWN || (kinds[frame] === IS_PYTHON && !isInOwn) ? stack : outer;
  });
});

/** In `_next_index`, and in no function of Python that it called yet. */
const ASKED = -2;

/** By stack, the row with the function that `_next_index` called: the sampler or the batch sampler; -1 = it does not pick. */
export const samplerEntries = perStacks((stacks): Int32Array => {
  const kinds = codesOfFrames(stacks, kindOf);
  const entries = foldStacks(stacks, new Int32Array(stacks.length), NONE, (outer, frame, stack) => {
    if (kinds[frame] === IS_NEXT_INDEX) return ASKED;
    return outer === ASKED && kinds[frame] !== 0 ? stack : outer;
  });
  return entries.map((entry) => (entry === ASKED ? NONE : entry));
});
