import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatShare } from '../../../shared/text/units.ts';
import { perStacks } from '../../index/per-trace.ts';

/** With fewer samples a share is off by more than ten percentage points. */
const SAMPLES_AT_LEAST = 25;
/** Less is the usual cost of what is new. Our own choice. */
const NOTABLE = 0.3;

/** Where the kernel enters a page fault of a program, on x86-64 and arm64. */
const ENTRY = /^((asm_)?exc_page_fault|do_user_addr_fault|el0_[di]a|do_page_fault|do_mem_abort)$/;

/** By stack, 1 where the thread was in the kernel for a page. */
const inFault = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ language, symbol }) =>
    Number(language === 'native' && ENTRY.test(symbol)),
  ),
);

/**
 * `85.0 % of its CPU samples there were in page faults: …`, where so many of `rows` (of cpu_sample) were that new memory costs
 * more than its use; empty where it does not, or where stacks do not show the kernel.
 */
export function faultsText(trace: Trace, rows: readonly number[]): string {
  const { stack } = trace.tables.cpu_sample.columns;
  const isIn = inFault(trace);
  const count = rows.filter((row) => isIn[stack?.[row] ?? NONE] === 1).length;
  if (rows.length < SAMPLES_AT_LEAST || count < rows.length * NOTABLE) return '';
  return `${formatShare(count, rows.length)} of its CPU samples there were in page faults, the kernel’s work mostly for memory that is new to the process. Arrays that are kept and filled again avoid them.`;
}
