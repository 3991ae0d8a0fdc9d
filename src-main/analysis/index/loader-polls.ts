import { hostOfThread } from '../../shared/model/hosts.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** PyTorch's loader waits so long in one call, on both sides of its queues: MP_STATUS_CHECK_INTERVAL. */
export const STATUS_CHECK_MS = 5000;
/** Python's queue counts the way to its poll as waiting, which on a busy machine takes some of it. */
const LOST_AT_MOST_MS = 100;

/**
 * Whether row `row` of off_cpu waited on a pipe with the patience of PyTorch's loader. Where poll() is another call (ppoll,
 * as on arm64), its limit of time lies in memory: then it is not known, and answered with false.
 */
export function hasLoaderPatience(trace: Trace, row: number): boolean {
  const { syscall, syscallArg2, thread } = trace.tables.off_cpu.columns;
  const patienceMs = syscallArg2?.[row] ?? -1;
  if (patienceMs > STATUS_CHECK_MS || patienceMs <= STATUS_CHECK_MS - LOST_AT_MOST_MS) return false;
  return syscallName(syscall?.[row] ?? -1, hostOfThread(trace, thread[row])) === 'poll';
}
