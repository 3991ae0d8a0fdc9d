import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { trimMalloc } from '../../native/trim-malloc.ts';

/**
 * Memory that nothing needs any more stays with a process: V8 collects when something is allocated, and the C library keeps what
 * was freed for what is asked of it next. Behind a large answer that is a quarter of the process. So both are told to
 * give it back once nobody asks.
 */

/** Nobody has asked for so long, ms. */
export const AT_REST_MS = 4_000;

/** Calls `giveBack` once nobody has called the result for `restMs`, and again after the next time that somebody has. */
export function atRest(giveBack: () => void, restMs = AT_REST_MS): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(giveBack, restMs).unref();
    timer.refresh();
  };
}

/** The memory of this thread's JavaScript, and what all threads have freed. Takes some ten ms. */
export function giveBackMemory(): void {
  collect ??= collector();
  collect();
  trimMalloc();
}

let collect: (() => void) | undefined;

/** V8's own function, which has no other door while a program runs. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  return () => gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
