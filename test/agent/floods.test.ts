import { expect, test } from 'vitest';
import { openRecording, record } from '../support/agent/agent.ts';
import { event, type Recording, standIn, value } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** A job that makes more events than can be read does not keep its recording from ending. */

/** A recording that such a job could hold up would not end at all; a busy machine makes it some seconds longer. */
const ENDED_NS = 30e9;

function expectEnded(recording: Recording): void {
  expect(recording.code, recording.stderr).toBe(0);
  expect(recording.report()).toBeTruthy();
  expect(event(recording, 'finished')).toMatchObject({ end: 'duration' });
  openRecording(recording.file);
  const length = value(recording.file, `SELECT value FROM meta WHERE key = 'length_ns'`);
  expect(length).toBeLessThan(ENDED_NS);
}

describeWith(['agent', 'bpf'], '--duration is kept where a job', () => {
  test('switches threads without end', async () => {
    const args = ['--duration', '1s'];
    expectEnded(await record([standIn('switches'), '8', '8'], { args }));
  });

  test('renames itself without end', async () => {
    const args = ['--duration', '1s'];
    expectEnded(await record([standIn('renames'), '8'], { args }));
  });
});
