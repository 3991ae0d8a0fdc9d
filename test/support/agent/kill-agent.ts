import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Random } from '../../simulation/random.ts';
import { waitedForCpus } from '../processes.ts';
import { openRecording, record, scratchFolder } from './agent.ts';
import { value } from './agent-run.ts';
import { jobThatOutlasts } from './outlasting-job.ts';

/** At most this much of the end may be missing; more where the agent itself had to wait for a CPU. */
const LOST_NS = 1_000_000_000n;

/** Kills an agent at a random moment of a recording and looks at what it leaves. */
export async function killOnce(random: Random): Promise<void> {
  const afterMs = random(100, 2100);
  const killed = join(scratchFolder(), 'killed');
  let killedAt = 0n;
  let disturbedNs = 0n;
  const recording = await record(jobThatOutlasts(killed, 2.5), {
    meanwhile: async ({ agent }) => {
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      disturbedNs = waitedForCpus(agent.pid ?? 0);
      killedAt = process.hrtime.bigint();
      agent.kill('SIGKILL');
      writeFileSync(killed, '');
    },
  });
  expect(recording.signal).toBe('SIGKILL');
  // The job ends as if nothing had happened, and only then writes this.
  expect(recording.report()).toHaveLength(6);
  openRecording(recording.file);
  const last = value(
    recording.file,
    `SELECT CAST(coalesce(max(start_ns + duration_ns), 0)
       + (SELECT value FROM meta WHERE key = 'begin_monotonic_ns') AS TEXT)
     FROM off_cpu`,
  );
  const lost = killedAt - BigInt(String(last));
  const told = `killed after ${afterMs} ms, after ${disturbedNs} ns of its own waits for a CPU`;
  expect(lost, told).toBeLessThanOrEqual(LOST_NS + disturbedNs);
}
