import { stateColour } from '../../../src-main/timeline/model/colours.ts';

/** What a thread's state says, and what it does not; see shared/model/task-state.ts. */
const meanings: ReadonlyMap<number, string> = new Map([
  [stateColour.running, 'The thread was executing on a CPU.'],
  [
    stateColour.runnable,
    'The thread was ready to run and waited until a CPU was given to it: it was not blocked on anything.',
  ],
  [
    stateColour.blockedOnIo,
    'The thread waited inside the kernel, where signals do not wake it, while a block request of its own was under way.',
  ],
  [
    stateColour.blocked,
    'The thread waited inside the kernel, where signals do not wake it: for a device, memory or a lock. No block request of its own was seen meanwhile.',
  ],
  [
    stateColour.sleeping,
    'The thread waited for something to happen, such as a timer, a lock, a pipe or another thread.',
  ],
  [stateColour.stopped, 'The thread was stopped by a signal or a debugger, or had ended.'],
  [stateColour.unknown, 'The recorder wrote a state that has no name here.'],
  [
    stateColour.offCpu,
    'The thread was off the CPU. Whether it was ready to run or waited for something is not recorded.',
  ],
]);

/** A sentence on the thread state that a colour of the palette stands for, if it is one. */
export const stateMeaning = (colour: number): string | undefined => meanings.get(colour);
