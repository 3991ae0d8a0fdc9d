import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Judgement, judge } from '../../scripts/ground-truth/judge.ts';
import { recordJob } from '../../scripts/ground-truth/record-job.ts';
import { readSaid, type Said } from '../../scripts/ground-truth/said.ts';
import type { Truth } from '../../scripts/ground-truth/truth.ts';
import { scratchFolder } from '../support/agent/agent.ts';
import { describeWith } from '../support/requirements.ts';

/** Three of the jobs of `npm run ground-truth`, as short as says enough; that judges them all. */

const LOOP_SECONDS = 2;

async function judged(job: string): Promise<{ truth: Truth; said: Said; judgement: Judgement }> {
  const folder = scratchFolder();
  const recorded = await recordJob(job, 'broken', folder, LOOP_SECONDS);
  if ('notRun' in recorded) throw new Error(recorded.notRun);
  const { truth, file, othersShare } = recorded;
  const said = readSaid(file, truth.pid, join(folder, 'opened'));
  return { truth, said, judgement: judge(truth, said, { othersShare }) };
}

describeWith(['agent', 'bpf', 'torch'], 'of a job that knows the truth', () => {
  // The second one's own rule is not asked here: what was once said of it was wrong.
  test.each([
    ['slow_decoding', ['right']],
    ['slow_pipe', ['right', 'vague', 'silent']],
    ['healthy_compute', ['right', 'vague']],
  ])('%s no bound is broken, and nothing else is blamed', async (job, grades) => {
    const { truth, said, judgement } = await judged(job);
    const told = JSON.stringify({ ...truth, step_seconds: [], said }, undefined, 1);
    expect(truth.step_seconds, told).toHaveLength(truth.steps);
    expect(said.window / truth.seconds, told).toBeGreaterThan(0.7);
    expect(judgement.violations, told).toEqual([]);
    expect(grades, told).toContain(judgement.grade);
  });
});
