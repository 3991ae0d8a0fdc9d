import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Trace } from '../../../src-main/shared/model/trace.ts';
import { importers } from '../../../src-main/trace/importers.ts';
import { openTrace } from '../../../src-main/trace/open-trace.ts';
import { event, type Recording, type RunOptions, runAgent, value } from './agent-run.ts';

/** Recordings that are tested. */

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-agent-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the agent as `runAgent` does, in a folder of its own where none is named. */
export function record(
  command: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Recording> {
  return runAgent(command, { ...options, folder: options.folder ?? scratchFolder() });
}

/** The file is whole, and the app opens it without an error. */
export function openRecording(file: string, scratchDir = scratchFolder()): Trace {
  expect(value(file, 'PRAGMA integrity_check')).toBe('ok');
  const opened = openTrace(file, { scratchDir, importers, progress() {} });
  if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.message}`);
  return opened.value;
}

/** A recording that went as it should: nothing lost, finished, and the app can open it. */
export function expectWhole(recording: Recording, scratchDir = scratchFolder()): Trace {
  const said = `${recording.stderr}\n${JSON.stringify(recording.events.at(-1))}`;
  expect(event(recording, 'finished')?.drops, said).toEqual({});
  expect(value(recording.file, 'SELECT count(*) FROM gap WHERE lost > 0'), said).toBe(0);
  return openRecording(recording.file, scratchDir);
}
