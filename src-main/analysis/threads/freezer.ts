import { NONE } from '../../shared/model/schema.ts';
import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import { isFrozen } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';

/**
 * Where the kernel keeps a thread whose control group is frozen: `__refrigerator` (kernel/freezer.c) of version 1,
 * `do_freezer_trap` of version 2, mostly a part of get_signal() (kernel/signal.c). In that a thread sleeps for nothing else:
 * a signal that stops it has a state of its own.
 */
const FREEZER = /^(__refrigerator|do_freezer_trap|get_signal)$/;
/** What a wait ends in. */
const SCHEDULER = /^(__schedule|schedule|schedule_idle|finish_task_switch\S*)$/;

const [IN_FREEZER, IN_SCHEDULER] = [1, 2];

/** By stack, 1 where its innermost frame is the freezer: without the state of a task a trace may have that alone. */
const inFreezer = perStacks((stacks) => {
  const kinds = codesOfFrames(stacks, ({ language, symbol }) => {
    if (language !== 'native') return 0;
    return FREEZER.test(symbol) ? IN_FREEZER : SCHEDULER.test(symbol) ? IN_SCHEDULER : 0;
  });
  return foldStacks(stacks, new Uint8Array(stacks.length), 0, (caller, frame) =>
    kinds[frame] === IN_SCHEDULER ? caller : Number(kinds[frame] === IN_FREEZER),
  );
});

/** Whether the thread of row `row` of off_cpu, which was asleep, was so because its control group was frozen. */
export function isInFreezer(trace: Trace, row: number): boolean {
  const { state, stack } = trace.tables.off_cpu.columns;
  if (isFrozen(state?.[row] ?? -1)) return true;
  const at = stack?.[row] ?? NONE;
  return at !== NONE && inFreezer(trace)[at] === 1;
}
