import { expect, test } from 'vitest';
import { query, type Recording, standIn, value } from '../support/agent-run.ts';
import { recordInside, removeRecordings, runAlone, trouble } from '../support/inside-run.ts';
import { describeWith } from '../support/requirements.ts';

/** A job prints and returns the same with the library in it, whatever it does, and however that fares. */

const RUNS = process.env.STALLTRACE_SOAK ? 200 : 1;

const copiesOf = (recording: Recording) =>
  value(
    recording.file,
    `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
     WHERE name.text = 'cudaMemcpyAsync' AND return_code = 0`,
  );

removeRecordings();

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
  ])(
    '%j',
    async (args, copies) => {
      const command = [trouble, ...args];
      const alone = await runAlone(command);
      for (let run = 0; run < RUNS; run++) {
        const recording = await recordInside(command);
        expect(recording.stdout).toBe(alone.stdout);
        expect(recording.stderr).toBe(alone.stderr);
        expect(recording.code).toBe(alone.code);
        expect(copiesOf(recording)).toBe(copies);
      }
    },
    (120 + 3 * RUNS) * 1000,
  );

  test.concurrent('a flush that hangs does not hold the job', async () => {
    const command = [trouble, 'ends', 'exit', '50'];
    const alone = await runAlone(command);
    const recording = await recordInside(command, { cupti: 'hang' });
    expect({ ...recording, stderr: '' }).toMatchObject({ ...alone, stderr: '' });
    expect(copiesOf(recording)).toBe(50);
  });

  test.concurrent('a capture that ends first leaves the job alone', async () => {
    const command = [trouble, 'goes', '600', '1'];
    const alone = await runAlone(command);
    const recording = await recordInside(command, { args: ['--duration', '300ms'] });
    expect(recording.stdout).toBe(alone.stdout);
    expect(recording.code).toBe(alone.code);
    const made = Number(copiesOf(recording));
    expect(made).toBeGreaterThan(10);
    expect(made).toBeLessThan(600);
    const [work] = query(
      recording.file,
      'SELECT count(*) AS copies, count(call_id) AS called FROM gpu_work WHERE kind = 2',
    );
    expect(work).toEqual({ copies: made, called: made });
  });

  test.concurrent('the variable of another profiler is left as it is', async () => {
    const env = { CUDA_INJECTION64_PATH: '/opt/another/profiler.so' };
    const recording = await recordInside([standIn('calls'), 'count', '1', '1'], { env });
    expect(recording.code).toBe(2);
    expect(recording.stderr).toMatch(/names another profiler already/);
  });
});
