import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { event, query, standIn } from '../support/agent/agent-run.ts';
import {
  freshPath,
  recordInside,
  removeRecordings,
  runAlone,
  trouble,
} from '../support/agent/inside-run.ts';
import { copiesOf, expectUnharmed, RUNS, UNHARMED_LIMIT_MS } from '../support/agent/unharmed.ts';
import { describeWith } from '../support/requirements.ts';

/** A job prints and returns the same with the library in it, whatever it does, and however that fares. */

removeRecordings();

/** The agent looks at the rings several times in so long. */
const KILLED_WITHIN_MS = 100;
const seed = Date.now() % 1_000_000;
const random = createRandom(seed);

describeWith(['agent'], 'the library inside does no harm', () => {
  test.concurrent.each([
    // Copies of the process that has CUDA: a forked child has none of it, and is let alone.
    [['forks', '20'], 1 + 20 + 20],
    [['closed', '400'], 800],
    [['threads', '64', '40'], 64 * 40],
    [['ends', 'return', '50'], 50],
    [['ends', 'exit', '50'], 50],
    [['ends', '_exit', '50'], 50],
    [['ends', 'abort', '50'], 50],
    [['ends', 'kill', '50'], 50],
    [['ends', 'quick', '50'], 50],
    [['ends', 'thread', '50'], 50],
    [['ends', 'leave', '50'], 100],
    [['exec', '50'], 100],
  ])('%j', (args, copies) => expectUnharmed(args, copies), UNHARMED_LIMIT_MS);

  test.concurrent('a flush that hangs does not hold the job', async () => {
    const command = [trouble, 'ends', 'exit', '50'];
    const alone = await runAlone(command);
    const recording = await recordInside(command, { cupti: 'hang' });
    expect({ ...recording, stderr: '' }).toMatchObject({ ...alone, stderr: '' });
    expect(copiesOf(recording)).toBe(50);
  });

  test.concurrent.each([
    ['13.0', 1],
    ['12.4', 0],
  ])('a CUPTI %s is taken out of a job that goes on, where it can be', async (cupti, times) => {
    const file = freshPath();
    const recording = await recordInside([trouble, 'until', file, 'finalized'], {
      cupti,
      meanwhile: async ({ agent, said }) => {
        await said('progress', /"cuda_call":\d\d/);
        agent.kill('SIGINT');
        await said('finished');
        writeFileSync(file, '');
      },
    });
    expect(recording.stdout).toBe(`0 copies went wrong\nfinalized ${times} times\n`);
    expect(recording.code).toBe(9);
    const told = recording.events.filter(({ text }) =>
      /older than 12\.6.* until it ends its CUDA calls may take longer/.test(String(text)),
    );
    expect(told).toHaveLength(1 - times);
  });

  test.concurrent(
    `an agent that is killed at any moment leaves the job as it was (seed ${seed})`,
    async () => {
      for (let run = 0; run < RUNS; run++) {
        const file = freshPath();
        const job = ['sh', '-c', '"$@"; echo "code $?"', 'sh', trouble, 'until', file];
        const recording = await recordInside(job, {
          meanwhile: async ({ agent, said }) => {
            await said('progress', /"cuda_call":\d\d/);
            // Between two looks at the rings, or in one of them.
            await wait(random(0, KILLED_WITHIN_MS));
            agent.kill('SIGKILL');
            writeFileSync(file, '');
          },
        });
        expect(recording.signal).toBe('SIGKILL');
        expect(recording.stdout).toBe('0 copies went wrong\ncode 9\n');
      }
    },
    UNHARMED_LIMIT_MS,
  );

  test.concurrent('a capture that ends first leaves the job alone', async () => {
    const file = freshPath();
    const recording = await recordInside([trouble, 'until', file], {
      meanwhile: async ({ agent, said }) => {
        await said('progress', /"cuda_call":\d\d/);
        agent.kill('SIGINT');
        await said('finished');
        // Copies go on, and the first of them takes the library out of CUPTI.
        await new Promise((resolve) => setTimeout(resolve, 100));
        writeFileSync(file, '');
      },
    });
    expect(recording.stdout).toBe('0 copies went wrong\n');
    expect(recording.code).toBe(9);
    expect(event(recording, 'finished')).toMatchObject({ end: 'stopped', job_running: true });
    const made = Number(copiesOf(recording));
    expect(made).toBeGreaterThan(9);
    const [work] = query(
      recording.file,
      'SELECT count(*) AS copies, count(call_id) AS called FROM gpu_work WHERE kind = 2',
    );
    // The one that it was in when the capture ended has not returned.
    expect(work?.copies).toBeGreaterThanOrEqual(made);
    expect(work?.copies).toBeLessThanOrEqual(made + 1);
    expect(work?.called).toBe(work?.copies);
  });

  test.concurrent('the variable of another profiler is left as it is', async () => {
    const env = { CUDA_INJECTION64_PATH: '/opt/another/profiler.so' };
    const recording = await recordInside([standIn('calls'), 'count', '1', '1'], { env });
    expect(recording.code).toBe(2);
    expect(recording.stderr).toMatch(
      /--inside can.t be used: COMMAND brings a profiler of its own/,
    );
  });
});
