import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openRecording, record } from '../support/agent.ts';
import { agentPath, event, type Recording, standIn, value } from '../support/agent-run.ts';
import { holdFolder } from '../support/held-folder.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * Recordings whose main thread waits in the kernel for a file system that gives no answer any more
 * (test/agent/jobs/held_folder.c): the names of a job's functions are read from it at the end.
 */

const EXIT_STUCK = 4;
/** Signals that come while another is pending are one. */
const APART_MS = 50;
/** test/agent/jobs/account.c has six threads beside its first. */
const JOB_RUNS = /"off_cpu":\d.*"threads":([7-9]|\d\d)/;

function startJob(program: string): ChildProcess {
  const job = spawn(program, ['40'], { stdio: 'ignore' });
  onTestFinished(() => void job.kill('SIGKILL'));
  return job;
}

function hears(agent: ChildProcess, pattern: RegExp): Promise<void> {
  let text = '';
  return new Promise((resolve) => {
    agent.stderr?.on('data', (data: string) => {
      text += data;
      if (pattern.test(text)) resolve();
    });
    if (agent.exitCode !== null) resolve();
    agent.on('close', () => resolve());
  });
}

function expectAllButTheEnd({ file, stderr }: Recording): void {
  openRecording(file);
  expect(value(file, 'SELECT count(*) FROM off_cpu'), stderr).toBeGreaterThan(0);
  expect(value(file, `SELECT count(*) FROM meta WHERE key = 'finished_ns'`)).toBe(0);
  // Who fetches it completes it.
  const sent = spawnSync(agentPath, ['send', '--file', file], { input: '', encoding: 'utf8' });
  expect(sent.status, sent.stdout).toBe(0);
  expect(existsSync(`${file}-wal`)).toBe(false);
  openRecording(file);
}

interface Case {
  readonly args: readonly string[];
  /** What makes the recording end. */
  readonly tell?: (agent: ChildProcess) => Promise<void>;
  readonly command?: (program: string) => string[];
  readonly says: RegExp;
}

/** A recording of a job on a folder that is held from when it has begun until the agent gave up. */
async function recordHeld({ args, tell, command, says }: Case): Promise<Recording> {
  const folder = await holdFolder(standIn('account'));
  const target = command === undefined ? ['--pid', String(startJob(folder.program).pid)] : [];
  return record(command?.(folder.program) ?? [], {
    args: [...target, ...args],
    meanwhile: async ({ agent, said }) => {
      // Nobody can begin any more once it is held; and what was told of first is committed by now.
      await said('progress', JOB_RUNS, 2);
      folder.hold();
      const heard = hears(agent, says);
      await tell?.(agent);
      await heard;
      // It ends now, but for the request that the kernel waits for.
      await folder.end();
    },
  });
}

describeWith(['agent', 'bpf', 'fuse'], 'a recording that waits for what others hold back', () => {
  test('is ended by a second signal and by its watchdog, which passes COMMAND’s code on', async () => {
    const told = recordHeld({
      args: ['--duration', '1m'],
      says: /as told twice/,
      tell: async (agent) => {
        agent.kill('SIGINT');
        await wait(APART_MS);
        agent.kill('SIGTERM');
      },
    });
    // Long enough for the test to hold the folder first.
    const args = ['--duration', '3s'];
    const late = recordHeld({ args, says: /did not end in time/ });
    const command = (program: string) => ['/bin/sh', '-c', '"$0" 5 & sleep 4; exit 7', program];
    const withCommand = recordHeld({ args, says: /did not end in time/, command });
    const ends = await Promise.all([told, late, withCommand]);
    expect(ends.map(({ code }) => code)).toEqual([143, EXIT_STUCK, 7]);
    for (const recording of ends) {
      expect(recording.stderr).toMatch(/holds what was recorded until shortly before/);
      expect(event(recording, 'finished')).toBeUndefined();
      expectAllButTheEnd(recording);
    }
  });
});
