import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { isOwnCode, isWorkerLoop, LOADER_FILE } from './loader-stacks.ts';

const [IS_OWN, IS_LOADER, IS_LOOP] = [1, 2, 3];

function kindOf(frame: Frame): number {
  if (isWorkerLoop(frame)) return IS_LOOP;
  if (LOADER_FILE.test(frame.file ?? '')) return IS_LOADER;
  return isOwnCode(frame) ? IS_OWN : 0;
}

/** It was in no function of the loader yet. */
const OUTSIDE = 0;
const INSIDE = 1;

/**
 * By stack, the row with the job's own function that takes batches from the loader, or what called it for that, as a
 * trainer's library; -1 = the loader is not on the stack. What a worker inherited of its parent's stack is left out.
 */
export const loaderUsers = perStacks((stacks): Int32Array => {
  const kinds = codesOfFrames(stacks, kindOf);
  const isInside = foldStacks(stacks, new Uint8Array(stacks.length), OUTSIDE, (caller, frame) => {
    if (kinds[frame] === IS_LOOP) return OUTSIDE;
    return kinds[frame] === IS_LOADER ? INSIDE : caller;
  });
  const own = foldStacks(stacks, new Int32Array(stacks.length), NONE, (caller, frame, stack) => {
    if (kinds[frame] === IS_LOOP) return NONE;
    return kinds[frame] === IS_OWN && isInside[stack] === OUTSIDE ? stack : caller;
  });
  return own.map((row, stack) => (isInside[stack] === INSIDE ? row : NONE));
});
