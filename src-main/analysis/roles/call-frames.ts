import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** By process, a frame that `isOne` on the stack of one of its CUDA calls: the innermost such of the first. */
export function callFrames(
  trace: Trace,
  isOne: (frame: Frame) => boolean,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const { stacks } = trace;
  const codes = codesOfFrames(stacks, (frame) => (isOne(frame) ? 1 : 0));
  if (!codes.includes(1)) return found;
  const frameOf = foldStacks(stacks, new Int32Array(stacks.length), NONE, (caller, frame) =>
    codes[frame] === 1 ? frame : caller,
  );
  const { thread, stack } = trace.tables.cuda_call.columns;
  for (let row = 0; row < thread.length; row++) {
    const frame = frameOf[stack?.[row] ?? NONE] ?? NONE;
    const process = trace.threads[thread[row]]?.process;
    if (frame !== NONE && process !== undefined && !found.has(process)) found.set(process, frame);
  }
  return found;
}
