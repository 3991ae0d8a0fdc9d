import { bitsOfStacks } from '../../shared/model/stacks.ts';
import { perStacks } from '../index/per-trace.ts';
import { TEXT_OF_VALUES } from './call-signs.ts';

/** By stack: 1 = a value is made into text. */
export const makesText = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ file = '' }) => Number(TEXT_OF_VALUES.test(file))),
);
