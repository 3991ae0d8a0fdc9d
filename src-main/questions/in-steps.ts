/** Others are answered after so long. */
const STEP_MS = 4;

/**
 * What `steps` come to, a few ms of them at a time: short questions are answered meanwhile.
 * @throws the signal’s reason, where nobody waits for it any more.
 */
export async function inSteps<Value>(
  steps: Iterator<undefined, Value, undefined>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  let untilMs = performance.now() + STEP_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < untilMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    untilMs = performance.now() + STEP_MS;
  }
}
