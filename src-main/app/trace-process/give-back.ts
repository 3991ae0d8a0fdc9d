import { trimMalloc } from '../../native/trim-malloc.ts';
import { collectGarbage } from '../../system/at-rest.ts';

/**
 * Memory that nothing needs any more stays with a process: V8 collects when something is allocated, and the C library keeps what
 * was freed for what is asked of it next. Behind a large answer that is a quarter of the process. So both are told to
 * give it back once nobody asks.
 */

/** The memory of this thread's JavaScript, and what all threads have freed. Takes some ten ms. */
export function giveBackMemory(): void {
  collectGarbage();
  trimMalloc();
}
