import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { query, type Recording, standIn, value } from '../support/agent/agent-run.ts';
import {
  freshPath,
  recordInside,
  removeRecordings,
  runAlone,
} from '../support/agent/inside-run.ts';
import { copiesOf } from '../support/agent/unharmed.ts';
import { describeWith } from '../support/requirements.ts';

/** A profiler that the job starts while the library is inside, as torch.profiler is started: it gets CUPTI. */

removeRecordings();

const profiled = (...words: readonly string[]) => [standIn('profiled'), '30', ...words];
/** As nobody had been in CUPTI before: all of its records, in the clock that it expects. */
const ITS_RESULT = '90 copies, 30 records, 30 in its time\n';

const noticesOf = ({ file }: Recording) =>
  query(file, 'SELECT text FROM notice')
    .map(({ text }) => text)
    .join('\n');

/** Of each table: gaps, and how many of them lie before a call that is there. */
function gapsOf({ file }: Recording): unknown[][] {
  return query(
    file,
    `SELECT name.text, count(*), sum(gap.start_ns + duration_ns <= (SELECT max(start_ns) FROM cuda_call)),
       sum(lost) FROM gap JOIN name ON name.id = op_id GROUP BY 1 ORDER BY 1`,
  ).map((row) => Object.values(row));
}

describeWith(['agent'], 'a profiler that the job starts', () => {
  test.concurrent.each(['buffers', 'clock', 'kind'])(
    'has CUPTI as it left it, asking for its %s first',
    async (first) => {
      const alone = await runAlone(profiled(first));
      expect(alone.stdout).toBe(ITS_RESULT);
      const recording = await recordInside(profiled(first));
      expect(recording.stdout).toBe(ITS_RESULT);
      expect(recording.code).toBe(0);
      expect(value(recording.file, 'SELECT count(call_id) FROM gpu_work WHERE kind = 2')).toBe(30);
      expect(noticesOf(recording)).toMatch(/Another profiler began in process \d+ .*--no-cupti/);
    },
  );

  test.concurrent('has CUPTI, and calls go on to be there, by imports', async () => {
    const file = freshPath();
    const recording = await recordInside(profiled(`then=${file}`), {
      meanwhile: async ({ said }) => {
        // Before the profiler there are some forty: from then on these are recorded by imports.
        await said('progress', /"cuda_call":\d{3}/);
        writeFileSync(file, '');
      },
    });
    expect(recording.stdout).toBe(ITS_RESULT);
    expect(copiesOf(recording)).toBe(90);
    expect(value(recording.file, 'SELECT count(call_id) FROM gpu_work WHERE kind = 2')).toBe(30);
    // Of calls it has an end, of what the GPU did it has none.
    expect(gapsOf(recording)).toEqual([
      ['cuda_call', 1, 1, null],
      ['gpu_work', 1, 0, null],
    ]);
    const missed = `SELECT count(*) FROM cuda_call, gap JOIN name ON name.id = gap.op_id
      WHERE name.text = 'cuda_call' AND cuda_call.start_ns > gap.start_ns
        AND cuda_call.start_ns < gap.start_ns + gap.duration_ns`;
    expect(value(recording.file, missed)).toBe(0);
    expect(noticesOf(recording)).toMatch(/of its CUDA calls those alone that a library imports/);
    const kinds = `SELECT column_name, kind FROM provenance WHERE table_name = 'cuda_call'
      AND column_name IN ('', 'correlation', 'host_memory') ORDER BY 1`;
    expect(query(recording.file, kinds).map(({ kind }) => kind)).toEqual([
      'partial',
      'partial',
      'inferred',
    ]);
  });

  test.concurrent('is seen coming in a library that is loaded later', async () => {
    const recording = await recordInside(profiled('later'));
    expect(recording.stdout).toBe(ITS_RESULT);
    expect(recording.code).toBe(0);
    expect(noticesOf(recording)).toMatch(/Another profiler began in process \d+/);
  });

  test.concurrent('after the capture has ended finds CUPTI as it was', async () => {
    const file = freshPath();
    const recording = await recordInside(profiled(`until=${file}`), {
      meanwhile: async ({ agent, said }) => {
        await said('progress', /"cuda_call":\d\d/);
        agent.kill('SIGINT');
        await said('finished');
        writeFileSync(file, '');
      },
    });
    expect(recording.stdout).toBe(ITS_RESULT);
    expect(recording.code).toBe(0);
  });
});
