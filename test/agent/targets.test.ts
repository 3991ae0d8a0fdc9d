import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole, openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart, event, query, standIn, value } from '../support/agent/agent-run.ts';
import { programWithSymbol } from '../support/agent/named-library.ts';
import { describeWith } from '../support/requirements.ts';

/** Targets that fork, exec, rename, end and multiply: test/agent/jobs/tree.c, which exits with 7. */

const JOB_EXIT_CODE = 7;
const FORKS = process.env.STALLTRACE_SOAK ? 10_000 : 300;

function processEvents(file: string, kind: number): number {
  return Number(value(file, `SELECT count(*) FROM process_event WHERE kind = ${kind}`));
}

function threadNames(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((tid) => readFileSync(join(tasks, tid, 'comm'), 'utf8').trim());
}

describeWith(['agent', 'bpf'], 'a target', () => {
  test('that forks heavily is followed to its last child', async () => {
    const recording = await record([standIn('tree'), 'forks', String(FORKS)]);
    expect(recording.code, recording.stderr).toBe(JOB_EXIT_CODE);
    expectWhole(recording);
    expect(processEvents(recording.file, 1)).toBe(2 * FORKS);
    const children = `SELECT count(*) FROM process WHERE parent_id IS NOT NULL
      AND start_ns IS NOT NULL AND end_ns IS NOT NULL AND name = 'tree'`;
    expect(value(recording.file, children)).toBeGreaterThanOrEqual(2 * FORKS);
  });

  test('of 300 threads has them all', async () => {
    const recording = await record([standIn('tree'), 'threads', '300']);
    expect(recording.code, recording.stderr).toBe(JOB_EXIT_CODE);
    expectWhole(recording);
    const threads = `SELECT count(*) FROM thread WHERE process_id =
      (SELECT process_id FROM thread WHERE tid = ${String(event(recording, 'started')?.pid)})`;
    expect(value(recording.file, threads)).toBe(301);
    const asleep = `SELECT count(DISTINCT thread_id) FROM off_cpu WHERE state & 0x7f <> 0`;
    expect(value(recording.file, asleep)).toBeGreaterThanOrEqual(300);
  });

  test('that becomes another program keeps its process and gets its name', async () => {
    const recording = await record([standIn('tree'), 'exec']);
    expect(recording.code, recording.stderr).toBe(JOB_EXIT_CODE);
    expectWhole(recording);
    expect(processEvents(recording.file, 2)).toBeGreaterThanOrEqual(1);
    const pid = String(event(recording, 'started')?.pid);
    expect(value(recording.file, `SELECT count(*) FROM process WHERE pid = ${pid}`)).toBe(1);
  });

  test('whose threads have hostile names is recorded whole', async () => {
    const recording = await record([standIn('tree'), 'names']);
    expect(recording.code, recording.stderr).toBe(JOB_EXIT_CODE);
    expectWhole(recording);
    const names = query(recording.file, 'SELECT name FROM thread').map(({ name }) => name);
    expect(names).toContain('quo"te\'s');
    expect(names).toContain("'); DROP TABLE ");
    expect(names.some((name) => String(name).includes('line'))).toBe(true);
    // The 15th byte may cut a character in two: what is written is UTF-8 all the same.
    for (const name of names) expect(Buffer.from(String(name)).toString()).toBe(name);
  });

  test('that a sandbox would kill for the calls of return probes lives', async () => {
    const recording = await record([standIn('tree'), 'seccomp', cudart]);
    expect(recording.code, recording.stderr).toBe(JOB_EXIT_CODE);
    openRecording(recording.file);
    const calls = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaDeviceSynchronize'`;
    expect(value(recording.file, calls)).toBeGreaterThanOrEqual(100);
  });

  test('killed by a signal hands its exit code on', async () => {
    const recording = await record(['/bin/sh', '-c', 'kill -TERM $$']);
    expect(recording.code, recording.stderr).toBe(128 + 15);
    openRecording(recording.file);
    expect(event(recording, 'target-exited')).toMatchObject({ exit_code: 143, signal: 15 });
  });

  test('that cannot be started is 127 and leaves the reason', async () => {
    const recording = await record(['/no/such/program']);
    expect(recording.code).toBe(127);
    expect(event(recording, 'error')?.code).toBe('command-not-started');
  });

  test('already running is recorded with the threads it has, until the time is over', async () => {
    const job = spawn(standIn('account'), ['20'], { stdio: 'ignore' });
    onTestFinished(() => void job.kill('SIGKILL'));
    const working = ['acc-sleep', 'acc-spin-a', 'acc-spin-b', 'acc-pages', 'acc-ping'];
    await expect.poll(() => threadNames(Number(job.pid))).toEqual(expect.arrayContaining(working));
    const recording = await record([], { args: ['--pid', String(job.pid), '--duration', '1s'] });
    expect(job.exitCode).toBeNull();
    // It keeps every CPU busy.
    job.kill('SIGKILL');
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    expect(event(recording, 'finished')?.end).toBe('duration');
    const names = query(
      recording.file,
      `SELECT DISTINCT thread.name AS name FROM off_cpu JOIN thread ON thread.id = thread_id`,
    ).map(({ name }) => name);
    for (const name of working) expect(names).toContain(name);
  });

  test('recorded by two agents at once is in both files', async () => {
    let second: Awaited<ReturnType<typeof record>> | undefined;
    const ended = join(scratchFolder(), 'ended');
    // Until the second has ended, a minute at most: so many times 20 rounds in 2 threads.
    const script = `times=0; while [ ! -e "$1" ] && [ $times -lt 1500 ]; do
      "$0" count 20 2 || exit; times=$((times + 1)); done; echo $times > "$1"`;
    const first = await record(['/bin/sh', '-c', script, standIn('calls'), ended], {
      args: ['--library', cudart],
      meanwhile: async ({ agent }) => {
        second = await record([], {
          args: ['--all'],
          // It has to find the library in each process of the loop, however busy the machine is.
          meanwhile: async (other) => {
            await other.said('progress', /"cuda_call":\d{4}/);
            other.agent.kill('SIGINT');
          },
        });
        expect(agent.exitCode).toBeNull();
        writeFileSync(ended, '');
      },
    });
    expect(first.code, first.stderr).toBe(0);
    expect(second?.code, second?.stderr).toBe(0);
    expectWhole(first);
    openRecording(second?.file ?? '');
    const copies = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
      WHERE name.text = 'cudaMemcpyAsync'`;
    expect(value(first.file, copies)).toBe(Number(readFileSync(ended, 'utf8')) * 40 * 6);
    expect(value(second?.file ?? '', copies)).toBeGreaterThan(100);
  });
});

/** The C++ runtime's own demangler reads this for ever: each part doubles the time. */
const ENDLESS_NAME = `_ZcvT_I${'N1acvT_I'.repeat(90)}EE`;
const TOO_LONG_NAME = `_Z20000${'ä'.repeat(10_000)}v`;
/** What the agent keeps of it: at most 16 KiB, no character in two, and the mark of a cut. */
const CUT_NAME = `${TOO_LONG_NAME.slice(0, 7 + (16_384 - 3 - 7) / 2)}…`;

describeWith(['agent', 'bpf', 'x64'], 'the whole machine', () => {
  test('is recorded beside functions with hostile names, which are kept as they are', async () => {
    const folder = scratchFolder();
    const programs = [ENDLESS_NAME, TOO_LONG_NAME].map((symbol, at) =>
      programWithSymbol(folder, `named${at}`, symbol),
    );
    const jobs = programs.map((program) => spawn(program, { stdio: 'ignore' }));
    onTestFinished(() => jobs.forEach((job) => void job.kill('SIGKILL')));
    const recording = await record([], { args: ['--all', '--duration', '1s'] });
    for (const job of jobs) job.kill('SIGKILL');
    expect(recording.code, recording.stderr).toBe(0);
    expect(event(recording, 'finished')?.end).toBe('duration');
    const named = query(
      recording.file,
      `SELECT DISTINCT symbol FROM frame WHERE file LIKE '${folder}/libnamed%.so'`,
    );
    expect(named.map(({ symbol }) => symbol).sort()).toEqual([CUT_NAME, ENDLESS_NAME]);
    expect(openRecording(recording.file).stacks.texts).toContain(ENDLESS_NAME);
  });
});

describeWith(['agent', 'bpf'], 'the whole machine', () => {
  test('is recorded without the agent itself', async () => {
    const recording = await record([], { args: ['--all', '--duration', '1s'] });
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(recording.file);
    const own = `SELECT count(*) FROM off_cpu JOIN thread ON thread.id = thread_id
      JOIN process ON process.id = process_id
      WHERE process.pid = ${String(event(recording, 'started')?.agent_pid)}`;
    expect(value(recording.file, own)).toBe(0);
  });
});
