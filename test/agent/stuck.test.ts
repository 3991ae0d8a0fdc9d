import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import { agentPath, event, type Recording, standIn, value } from '../support/agent/agent-run.ts';
import { holdFolder } from '../support/agent/held-folder.ts';
import { socketPair } from '../support/agent/socket-pair.ts';
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

function threadsOf({ pid }: ChildProcess): number {
  const folder = `/proc/${pid}/task`;
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

interface Case {
  readonly args?: readonly string[];
  readonly stdin?: Socket;
  readonly command?: (program: string) => string[];
  /** The folder is held: makes the recording end. */
  readonly tell?: (agent: ChildProcess) => Promise<void> | void;
  readonly says?: RegExp;
  /** It said so. */
  readonly after?: () => void;
}

/** A recording of a job on a folder that is held from when it has begun until the agent gave up. */
async function recordHeld({ args = [], stdin, command, tell, ...rest }: Case): Promise<Recording> {
  const folder = await holdFolder(standIn('account'));
  const target = command === undefined ? ['--pid', String(startJob(folder.program).pid)] : [];
  return record(command?.(folder.program) ?? [], {
    args: [...target, ...args],
    stdin,
    meanwhile: async ({ agent, said }) => {
      // Nobody can begin any more once it is held; and what was told of first is committed by now.
      await said('progress', JOB_RUNS, 2);
      folder.hold();
      const heard = hears(agent, rest.says ?? /did not end in time/);
      await tell?.(agent);
      await heard;
      rest.after?.();
      // It has ended but for the thread that the kernel keeps for the request.
      await expect.poll(() => threadsOf(agent)).toBeLessThan(2);
      await folder.end();
    },
  });
}

/** COMMAND: the job, until there is `file`; then this exit code. */
const untilThereIs = (file: string, code: number) => (program: string) => [
  '/bin/sh',
  '-c',
  `"$0" 40 & while [ ! -e '${file}' ]; do sleep 0.05; done; kill $!; exit ${code}`,
  program,
];

function toldTwice(): Promise<Recording> {
  return recordHeld({
    says: /as told twice/,
    tell: async (agent) => {
      agent.kill('SIGINT');
      await wait(APART_MS);
      agent.kill('SIGTERM');
    },
  });
}

function commandEnds(): Promise<Recording> {
  const held = join(scratchFolder(), 'ends');
  return recordHeld({ command: untilThereIs(held, 9), tell: () => writeFileSync(held, '') });
}

async function commandGoesOn(): Promise<Recording> {
  const { given, kept } = await socketPair();
  const heard = join(scratchFolder(), 'heard');
  return recordHeld({
    args: ['--stop-with-stdin'],
    stdin: given,
    command: untilThereIs(heard, 7),
    tell: () => void kept.end(),
    after: () => writeFileSync(heard, ''),
  });
}

/** Stopped before its end is due, until long after. */
function stoodStill(): Promise<Recording> {
  return record([], {
    args: ['--no-bpf', '--pid', String(process.pid), '--duration', '1s'],
    meanwhile: async ({ agent }) => {
      agent.kill('SIGSTOP');
      // Its duration, and all the patience that is had with it.
      await wait(12_000);
      agent.kill('SIGCONT');
    },
  });
}

describeWith(['agent', 'bpf', 'fuse'], 'a recording that waits for what others hold back', () => {
  test('is ended by a second signal and by its watchdog, which passes COMMAND’s code on', async () => {
    const told = recordHeld({ tell: (agent) => void agent.kill('SIGTERM') });
    const still = stoodStill();
    const ends = await Promise.all([toldTwice(), told, commandEnds(), commandGoesOn()]);
    expect(ends.map(({ code }) => code)).toEqual([143, EXIT_STUCK, 9, 7]);
    for (const recording of ends) {
      expect(recording.stderr).toMatch(/holds what was recorded until shortly before/);
      expect(event(recording, 'finished')).toBeUndefined();
      expectAllButTheEnd(recording);
    }
    // Time in which nobody ran is none that it was late.
    expect(event(await still, 'finished'), (await still).stderr).toMatchObject({ end: 'duration' });
  });
});
