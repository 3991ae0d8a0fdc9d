import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { record, scratchFolder } from '../support/agent/agent.ts';
import { query, STACK_FRAMES, standIn } from '../support/agent/agent-run.ts';
import {
  findLibpython,
  interpreters,
  MAX_FRAMES,
  type PythonFrame,
  type PythonPlace,
} from '../support/agent/pythons.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Python's frames as the agent takes them, against what each interpreter says of itself. */

/** Of each thread, every stack it left a CPU with. */
function recordedStacks(file: string): Map<number, Set<string>> {
  const rows = query(
    file,
    `${STACK_FRAMES} SELECT thread.tid, json_group_array(json_array(symbol, file, line)) AS frames
       FROM (SELECT DISTINCT thread_id, stack_id FROM off_cpu) AS seen
       JOIN thread ON thread.id = seen.thread_id
       JOIN (SELECT * FROM stack_frame WHERE language = 'python' ORDER BY stack_id, position) AS frame
         USING (stack_id)
      GROUP BY thread.tid, stack_id`,
  );
  const stacks = new Map<number, Set<string>>();
  for (const { tid, frames } of rows) {
    stacks.set(Number(tid), (stacks.get(Number(tid)) ?? new Set()).add(String(frames)));
  }
  return stacks;
}

const job = join(root, 'test/agent/jobs/python_stacks.py');

/** Records the job, and looks for what it says of its threads in what was recorded. */
async function expectAllFrames(command: readonly string[]): Promise<void> {
  const folder = scratchFolder();
  const args = ['--profile', 'off-cpu-stacks'];
  const recording = await record([...command, job, '2'], { folder, args });
  expect(recording.code, recording.stderr).toBe(0);
  const places = readFileSync(join(folder, 'report.json'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PythonPlace);
  expect(places.length).toBe(10);
  const stacks = recordedStacks(recording.file);
  for (const { place, tid, frames } of places) {
    const seen = [...(stacks.get(tid) ?? [])].map((text) => JSON.parse(text) as PythonFrame[]);
    expect(seen, `${place} in ${command.join(' ')}`).toContainEqual(frames.slice(0, MAX_FRAMES));
  }
}

describeWith(['agent', 'bpf'], 'Python frames', () => {
  test.each(interpreters())('%s: function, file and executing line', (python) =>
    expectAllFrames([python]),
  );
});

describeWith(['agent', 'bpf', 'libpython'], 'a library of Python that is met half mapped', () => {
  test('is asked again, until it stands where it belongs', () =>
    expectAllFrames([standIn('halfway'), findLibpython() ?? '']));
});
