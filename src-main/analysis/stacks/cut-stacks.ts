import { NONE } from '../../shared/model/schema.ts';
import { foldStacks, isPython, type Stacks } from '../../shared/model/stacks.ts';

/** A function that is met in several stages, or outside of the loader. */
const MIXED = -1;

/**
 * Outermost frames of stacks that were cut, as rows of the stacks, each with its stage: recorders keep a few dozen frames, and
 * a dataset that wraps itself a hundred times has more. Such a stack is of the loader where its outermost function is met
 * on whole stacks in one stage of it, and nowhere else. `entry` and `stage` are those of whole stacks.
 */
export function cutStacks(
  stacks: Stacks,
  entry: Int32Array,
  stage: Uint8Array,
): ReadonlyMap<number, number> {
  const { length, prefix, frame } = stacks;
  const functions = functionsOfFrames(stacks);
  const stages = new Map<number, number>();
  for (let stack = 0; stack < length; stack++) {
    if (entry[stack] === NONE || !isPython(stacks, frame[stack])) continue;
    const name = functions[frame[stack]];
    const known = stages.get(name) ?? stage[stack];
    stages.set(name, known === stage[stack] ? known : MIXED);
  }
  if (stages.size === 0) return stages;
  const root = foldStacks(stacks, new Int32Array(length), NONE, (outer, _frame, stack) =>
    outer === NONE ? stack : outer,
  );
  const isInLoader = (stack: number) => stages.has(functions[frame[stack]]);
  for (let stack = 0; stack < length; stack++)
    if (entry[stack] === NONE && !isInLoader(root[stack]) && isInLoader(stack))
      stages.set(functions[frame[stack]], MIXED);
  const found = new Map<number, number>();
  for (let stack = 0; stack < length; stack++) {
    const known = stages.get(functions[frame[stack]]) ?? MIXED;
    if (prefix[stack] === NONE && known !== MIXED) found.set(stack, known);
  }
  return found;
}

/** By frame, a number for its function: equal for all its lines. */
function functionsOfFrames({ frames, texts }: Stacks): Float64Array {
  return Float64Array.from(
    { length: frames.length },
    (_, frame) => frames.symbol[frame] * (texts.length + 1) + frames.file[frame] + 1,
  );
}
