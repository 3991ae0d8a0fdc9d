import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';

/** By stack, 1 = within the call of a torch.nn.Module: what runs there is a part of the model, and each step needs it. */
export const modelStacks = perStacks((stacks) => {
  const codes = codesOfFrames(stacks, ({ symbol, file = '' }) =>
    Number(/\/torch\/nn\/modules\/module\.py$/.test(file) && /_call_impl$/.test(symbol)),
  );
  const into = new Uint8Array(stacks.length);
  return foldStacks(stacks, into, 0, (caller, frame) => caller || codes[frame]);
});
