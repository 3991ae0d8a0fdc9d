import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/**
 * Collects what this thread's JavaScript does not need any more: V8 does so when something is allocated, and in a process that
 * waits never. Takes some ten ms.
 */
export function collectGarbage(): void {
  collect ??= collector();
  collect();
}

let collect: (() => void) | undefined;

/** V8's own function, which has no other door while a program runs. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  return () => gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
