import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { stackSigns } from '../loop/stack-signs.ts';
import { passedOnFrom } from '../threads/passed-on.ts';

const OF_DEVICES: ReadonlySet<number> = new Set([
  codeOf(wakeContexts, 'softirq'),
  codeOf(wakeContexts, 'irq'),
]);

/**
 * Whether row `row` of off_cpu is a wait for other ranks that the training thread has in PyTorch’s own native code, as in
 * the backward pass of DistributedDataParallel: threads of its process passed on what came from a network or another process.
 */
export function awaitsRanks(trace: Trace, row: number): boolean {
  const { stack, thread, waker, wakerContext } = trace.tables.off_cpu.columns;
  if (stackSigns(trace).meets[stack?.[row] ?? NONE] !== 1) return false;
  const end = passedOnFrom(trace, row);
  if (end === row) return false;
  if (OF_DEVICES.has(wakerContext?.[end] ?? 0)) return true;
  const by = trace.threads[waker?.[end] ?? NONE];
  return by !== undefined && by.process !== trace.threads[thread[row]]?.process;
}
