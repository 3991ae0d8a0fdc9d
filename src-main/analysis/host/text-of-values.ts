import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { TEXT_OF_VALUES } from './call-signs.ts';

/** By stack: 1 = a value is made into text. */
export const makesText = perStacks((stacks): Uint8Array => {
  const codes = codesOfFrames(stacks, ({ file = '' }) => (TEXT_OF_VALUES.test(file) ? 1 : 0));
  return foldStacks(
    stacks,
    new Uint8Array(stacks.length),
    0,
    (caller, frame) => caller | codes[frame],
  );
});
