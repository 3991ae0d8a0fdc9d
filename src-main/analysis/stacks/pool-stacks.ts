import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { isOwnCode } from './loader-stacks.ts';

/**
 * What a pool of threads or processes was given to do: `multiprocessing.Pool`, `concurrent.futures`, joblib. By stack, the
 * row with the function of the job's own that the pool called; -1 = none. Of Python 3.8 to 3.14.
 */
export const pooledFunctions = perStacks((stacks): Int32Array => {
  const kinds = codesOfFrames(stacks, kindOf);
  return foldStacks(stacks, new Int32Array(stacks.length), NOTHING, (outer, frame, stack) => {
    if (kinds[frame] === IS_POOL) return IN_POOL;
    return outer === IN_POOL && kinds[frame] === IS_OWN ? stack : outer;
  });
});

/** Above a pool's frame, and below it before a function of the job's own. No row: neither counts as one. */
const [NOTHING, IN_POOL] = [NONE, -2];
const [IS_POOL, IS_OWN] = [1, 2];

const POOL_FILE =
  /\/(multiprocessing\/pool|concurrent\/futures\/(thread|process)|joblib\/(parallel|_parallel_backends|externals\/loky\/process_executor))\.py$/;

function kindOf(frame: Frame): number {
  if (frame.language !== 'python') return 0;
  if (POOL_FILE.test(frame.file ?? '')) return IS_POOL;
  return isOwnCode(frame) ? IS_OWN : 0;
}
