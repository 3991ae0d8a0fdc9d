import { expect } from 'vitest';
import { type Recording, value } from './agent-run.ts';
import { type InsideRun, recordInside, runAlone, trouble } from './inside-run.ts';

/** Jobs that print and return the same with the library inside and without. */

export const RUNS = process.env.STALLTRACE_SOAK ? 200 : 1;
export const UNHARMED_LIMIT_MS = (120 + 3 * RUNS) * 1000;

/** Calls of `op` that came back well. */
export const copiesOf = ({ file }: Recording, op = 'cudaMemcpyAsync') =>
  value(
    file,
    `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
     WHERE name.text = '${op}' AND return_code = 0`,
  );

/** The job `trouble` with `args`, which makes that many copies; 200 times in a soak. */
export async function expectUnharmed(args: readonly string[], copies: number, options?: InsideRun) {
  const command = [trouble, ...args];
  const alone = await runAlone(command);
  for (let run = 0; run < RUNS; run++) {
    const recording = await recordInside(command, options);
    expect(recording.stdout).toBe(alone.stdout);
    expect(recording.stderr).toBe(alone.stderr);
    expect(recording.code).toBe(alone.code);
    expect(copiesOf(recording)).toBe(copies);
  }
}
