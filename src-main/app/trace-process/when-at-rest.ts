import type { BulkUse } from './bulk-server.ts';

/** The window gets its tiles first: what nobody waits for is done once none were sent for so long. */
const AT_REST_MS = 500;
/** Not for ever: somebody may read them who has stopped. */
const MOST_WAIT_MS = 60_000;

/** Steps are done for so long at once. */
const STEPS_MS = 20;

interface Use extends Pick<BulkUse, 'idleMs'> {
  /** Whether somebody waits for an answer, which is worked out in steps of its own. */
  isAsked(): boolean;
}

/** A few steps at a time, so that a question does not wait for all of them; `isWanted`: whether there is a next one. */
export function whenAtRest(
  steps: Generator<undefined, void>,
  use: Use,
  isWanted: () => boolean,
  sinceMs = performance.now(),
): void {
  const waitedMs = () => performance.now() - sinceMs;
  const restMs = () => Math.min(use.idleMs(), waitedMs());
  const goOn = () => {
    if (use.isAsked()) {
      setTimeout(goOn, STEPS_MS).unref();
      return;
    }
    const isEarly = waitedMs() < MOST_WAIT_MS && restMs() < AT_REST_MS;
    if (!isWanted() || (!isEarly && areDone(steps, STEPS_MS))) return;
    whenAtRest(steps, use, isWanted, sinceMs);
  };
  setTimeout(goOn, Math.max(0, AT_REST_MS - restMs())).unref();
}

/** Does some of them; whether those were all. */
function areDone(steps: Generator<undefined, void>, forMs: number): boolean {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs) if (steps.next().done === true) return true;
  return false;
}
