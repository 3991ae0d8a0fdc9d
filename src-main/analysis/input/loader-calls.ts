import type { Trace } from '../../shared/model/trace.ts';
import { callOf } from '../threads/blocked-on.ts';

/** In these a thread waits until another hands it something: a batch comes no other way. */
const RECEIVES =
  /^(p?poll|p?select6?|epoll_p?wait2?|p?readv?(64|2)?|recv(from|msg|mmsg)|futex\w*|connect)$/;
/** These give something away, or wait for a child or a file's lock: none of them makes a sample. */
const GIVES =
  /^(p?writev?(64|2)?|send(to|msg|mmsg|file)|copy_file_range|splice|(f|fdata|m)?sync|syncfs|wait4|waitid|flock)$/;

/** Whether a thread can have waited for a batch in row `row` of off_cpu, by its system call where that is known. */
export function mayAwaitBatch(trace: Trace, row: number): boolean {
  const call = callOf(trace, row);
  return call === undefined || RECEIVES.test(call);
}

/** Whether a dataset can have waited so while it made a sample. */
export function mayMakeSample(trace: Trace, row: number): boolean {
  const call = callOf(trace, row);
  return call === undefined || !GIVES.test(call);
}

/** Whether row `row` waited for a lock, or for a thread of its own process. */
export function isLock(trace: Trace, row: number): boolean {
  return callOf(trace, row)?.startsWith('futex') ?? false;
}
