import { hostOfThread } from '../../shared/model/hosts.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** FUTEX_WAIT_BITSET by the clock that glibc takes for a lock without a timeout: sem_wait, condition waits. */
const FUTEX_CLOCK_REALTIME = 0x100;

const POLLS = /^(poll|ppoll|select|pselect6|epoll_(p)?wait2?)$/;

function nameOf(trace: Trace, row: number): string | undefined {
  const { syscall, thread } = trace.tables.off_cpu.columns;
  const number = syscall?.[row] ?? -1;
  return number < 0 ? undefined : syscallName(number, hostOfThread(trace, thread[row]));
}

/** Whether the row waited for one of its files to be ready. */
export function isPollLike(trace: Trace, row: number): boolean {
  const name = nameOf(trace, row);
  return name !== undefined && POLLS.test(name);
}

export function isFutex(trace: Trace, row: number): boolean {
  return nameOf(trace, row) === 'futex';
}

/** Whether the row waited for a lock without a limit of time, as Python's condition variables do. */
export function isEndlessLock(trace: Trace, row: number): boolean {
  const operation = trace.tables.off_cpu.columns.syscallArg1?.[row] ?? -1;
  return operation >= 0 && (operation & FUTEX_CLOCK_REALTIME) !== 0 && isFutex(trace, row);
}
