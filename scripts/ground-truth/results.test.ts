import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Form, type JobResult, openPass } from './results.ts';

function result(job: string, form: Form): JobResult {
  const said = { verdict: 'balanced', headline: '', window: 1, findings: [] };
  const phases = { other: 0, input: 0, h2d: 0, compute: 1, collective: 0, idle: 0 };
  const truth = { causes: [], also_right: [], verdicts: [], pid: 1, seconds: 1, input_share: 0 };
  return {
    ...{ job, form, run: 1 },
    truth: { ...truth, other_shares: {}, steps: 1, step_seconds: [1] },
    said: { ...said, phases, input: { atLeast: 0, atMost: 0 } },
    judgement: { grade: 'right', falseAlarms: [], violations: [] },
  };
}

test('a pass goes on where it was stopped, and is of one commit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-pass-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pass.json');
  const first = openPass(path, 'abc');
  first.add(result('slow_pipe', 'fixed'));
  // Stopped between the two forms: both are recorded again.
  expect(openPass(path, 'abc').has('slow_pipe', 1)).toBe(false);
  first.add(result('slow_pipe', 'fixed'));
  first.add(result('slow_pipe', 'broken'));
  expect(first.results.map(({ form }) => form)).toEqual(['fixed', 'broken']);
  const again = openPass(path, 'abc');
  expect(again.has('slow_pipe', 1)).toBe(true);
  expect(again.has('slow_pipe', 2)).toBe(false);
  expect(again.results).toEqual(first.results);
  expect(() => openPass(path, 'def')).toThrow('--out');
});
