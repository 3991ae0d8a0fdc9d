import { dirname } from 'node:path/posix';
import type { StatusRun } from '../capture/agent-lines.ts';
import type { HeldRun, HeldRuns } from './held-runs.ts';

/** Writes down what the host knows of a run whose beginning was cut off. */
export async function adoptRun(runs: HeldRuns, held: HeldRun, found: StatusRun): Promise<void> {
  await runs.change(held, {
    phase: 'recording',
    agentRun: found.run_id,
    runBase: dirname(found.run_directory),
  });
}
