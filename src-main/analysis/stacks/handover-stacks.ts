import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { isOwnCode } from './loader-stacks.ts';

/**
 * How a batch gets from a worker to the training loop: a thread of the worker pickles it into a pipe, the training process
 * reads and unpickles it. Tensors go beside it in shared memory: to share and to open that is work by the tensor, not by
 * the object. Files and functions are those of Python 3.8 to 3.14 and PyTorch 1.13 to 2.x.
 */
export const handoverStages = [
  'none',
  'pickling',
  'receiving',
  'unpickling',
  'sharing',
  'pinning',
] as const;
export type HandoverStage = (typeof handoverStages)[number];

/** By stack. */
export interface HandoverStacks {
  /** Index into handoverStages. */
  readonly stage: Uint8Array;
  /** The row with the innermost function of the job's own that unpickling called, as `Box.__setstate__`; -1 = none. */
  readonly own: Int32Array;
}

const stageCode = Object.fromEntries(handoverStages.map((name, code) => [name, code])) as Readonly<
  Record<HandoverStage, number>
>;

const [IS_LOADER, IS_GET, IS_CONNECTION, IS_SHARING, IS_PINNING, IS_DUMPS, IS_OWN] = [
  1, 2, 3, 4, 5, 6, 7,
];

function kindOf(frame: Frame): number {
  const { symbol, file = '', language } = frame;
  if (language !== 'python') return 0;
  if (/\/torch\/multiprocessing\/reductions\.py$/.test(file)) return IS_SHARING;
  if (/\/_utils\/pin_memory\.py$/.test(file) && symbol === 'pin_memory') return IS_PINNING;
  if (/\/torch\/utils\/data\//.test(file)) return IS_LOADER;
  if (/\/multiprocessing\/queues\.py$/.test(file) && /(^|\.)get$/.test(symbol)) return IS_GET;
  if (/\/multiprocessing\/reduction\.py$/.test(file) && /(^|\.)dumps$/.test(symbol))
    return IS_DUMPS;
  if (/\/multiprocessing\/connection\.py$/.test(file)) return IS_CONNECTION;
  return isOwnCode(frame) ? IS_OWN : 0;
}

/** What the stacks of a trace say of handing batches over, each read once. */
export const handoverStacks = perStacks((stacks): HandoverStacks => {
  const kinds = codesOfFrames(stacks, kindOf);
  const { length } = stacks;
  /** Whether the loader is on the stack. */
  const inLoader = foldStacks(stacks, new Uint8Array(length), 0, (caller, frame) =>
    caller === 1 || kinds[frame] === IS_LOADER || kinds[frame] === IS_PINNING ? 1 : 0,
  );
  const stage = foldStacks(stacks, new Uint8Array(length), 0, (caller, frame, stack) =>
    nextStage(caller, kinds[frame], inLoader[stack] === 1),
  );
  const own = foldStacks(stacks, new Int32Array(length), NONE, (outer, frame, stack) => {
    if (stage[stack] !== stageCode.unpickling || kinds[frame] === IS_GET) return NONE;
    return kinds[frame] === IS_OWN ? stack : outer;
  });
  return { stage, own };
});

/** What a frame of `kind` does when called within `stage`. */
function nextStage(stage: number, kind: number, inLoader: boolean): number {
  switch (kind) {
    case IS_DUMPS:
      return stageCode.pickling;
    case IS_SHARING:
      return stage === stageCode.none ? stage : stageCode.sharing;
    case IS_PINNING:
      return stageCode.pinning;
    case IS_GET:
      return inLoader ? stageCode.unpickling : stage;
    case IS_CONNECTION:
      // How shared memory is asked for is a part of opening it.
      return stage === stageCode.unpickling ? stageCode.receiving : stage;
    default:
      return stage;
  }
}
