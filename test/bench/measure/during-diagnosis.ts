import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 20;

export interface Asked {
  /** Of the call that was asked about first, alone: it works out what all others stand on, ms. */
  readonly first: number;
  /** Of each that was asked for while the diagnosis ran, ms. */
  readonly during: readonly number[];
  readonly diagnosisMs: number;
}

/** Asks "why slow" of single calls, one after another, while the whole trace is diagnosed. */
export async function explainDuringDiagnosis(
  calls: number,
  explain: (call: number) => Promise<unknown>,
  diagnose: () => Promise<unknown>,
): Promise<Asked> {
  async function timeOf(call: number): Promise<number> {
    const begun = performance.now();
    await explain(call);
    return performance.now() - begun;
  }
  const first = await timeOf(0);
  let isDiagnosed = false;
  const begun = performance.now();
  const diagnosing = diagnose().then(() => {
    isDiagnosed = true;
    return performance.now() - begun;
  });
  const during: number[] = [];
  for (let call = 1; !isDiagnosed; call = (call + Math.floor(calls / 97)) % calls) {
    during.push(await timeOf(call % calls));
    await delay(EVERY_MS);
  }
  return { first, during, diagnosisMs: await diagnosing };
}
