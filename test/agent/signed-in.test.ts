import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openRecording } from '../support/agent/agent.ts';
import { agentPath, cudart } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** What somebody who signed in as a user does with the agent, with and without sudo. */

interface Line {
  readonly event: string;
  readonly [key: string]: unknown;
}

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly last: Line | undefined;
}

let user: SshUser;
let captures = 0;

/** As the user, in the home, as a shell that signed in; `input` on standard input. */
function asUser(words: readonly string[], input = ''): Said {
  const env = { HOME: user.home, USER: user.name, PATH: '/usr/bin:/bin' };
  const ran = spawnSync('/usr/sbin/runuser', ['-u', user.name, '--', ...words], {
    cwd: user.home,
    env,
    input,
    encoding: 'utf8',
    timeout: 30_000,
  });
  const { status: code, stdout, stderr } = ran;
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return { code, stdout, stderr, last: last.startsWith('{') ? JSON.parse(last) : undefined };
}

function agent(...args: string[]): Said {
  return asUser(['./stalltrace-agent', ...args]);
}

/** As root, the password over standard input. */
function sudoAgent(...args: string[]): Said {
  const words = ['sudo', '-S', '-k', '-p', 'a1b2c3', '--', `${user.home}/stalltrace-agent`];
  return asUser([...words, ...args], `${user.password}\n`);
}

function newRun(): { readonly file: string; readonly runs: string } {
  const runs = `/run/stalltrace-test-${process.pid}-${captures++}`;
  onTestFinished(() => rmSync(runs, { recursive: true, force: true }));
  return { file: join(user.home, 'captures', `${captures}.trace.db`), runs };
}

describeWith(['agent', 'sshServer', 'bpf'], 'who signed in and may use sudo', () => {
  beforeAll(async () => {
    user = await createSshUser({ sudo: 'password' });
    user.write('.profile', 'export FROM_PROFILE=yes; PATH=$HOME/tools:$PATH\n');
    user.write('captures/.here', '');
    const program = join(user.home, 'stalltrace-agent');
    copyFileSync(agentPath, program);
    chmodSync(program, 0o755);
  });
  afterAll(() => user?.remove());

  test('records a command of their own, and gets the trace', async () => {
    const { file, runs } = newRun();
    // What a login gives: the profile's variables, and nothing of sudo's.
    const line =
      'cd /tmp; echo "$(id -un) $HOME $(echo $PATH | cut -d: -f1) $PWD $FROM_PROFILE $(env | grep -c SUDO)"';
    const recorded = sudoAgent(
      ...['record', '--detach', '--json', '--out', file, '--run-dir', runs],
      ...['--user', user.name, '--', '/bin/bash', '-lc', line],
    );
    expect(recorded.code, recorded.stderr).toBe(0);
    expect(recorded.last).toMatchObject({
      v: 1,
      event: 'detached',
      run_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      pid: expect.any(Number),
      file,
    });
    const id = String(recorded.last?.run_id);
    expect(recorded.last?.run_directory).toBe(join(runs, id));
    const where = ['--json', '--run', id, '--run-dir', runs];
    const state = () =>
      (JSON.parse(sudoAgent('status', ...where).stdout) as { runs: Line[] }).runs[0];
    await expect
      .poll(state, { interval: 300 })
      .toMatchObject({ state: 'finished', process_alive: false });
    // The run is root's, the trace and the command's output are not.
    expect(statSync(runs)).toMatchObject({ uid: 0 });
    expect(agent('status', ...where).last).toMatchObject({ event: 'error', code: 'run-directory' });
    for (const path of [file, `${file}.output`]) {
      const { uid, mode } = statSync(path);
      expect([uid, mode & 0o777]).toEqual([user.uid, 0o600]);
    }
    expect(readFileSync(`${file}.output`, 'utf8')).toBe(
      `${user.name} ${user.home} ${user.home}/tools /tmp yes 0\n`,
    );
    openRecording(file);
    expect(agent('send', '--file', file).last).toMatchObject({ event: 'ready' });
    expect(sudoAgent('status', '--remove', ...where).stdout).toContain(`"removed":["${id}"]`);
    expect(readdirSync(runs)).toEqual([]);
    expect(sudoAgent('status', ...where).code).toBe(3);
  });

  test('stops one of two captures, by its id', async () => {
    const { file, runs } = newRun();
    const begin = (out: string) =>
      String(
        sudoAgent('record', '--detach', '--json', '--out', out, '--run-dir', runs, '--all').last
          ?.run_id,
      );
    const [first, second] = [begin(file), begin(`${file}.second`)];
    expect(sudoAgent('stop', '--json', '--run-dir', runs).code).toBe(3);
    const stopped = sudoAgent('stop', '--json', '--run', first, '--run-dir', runs);
    expect(stopped.last).toMatchObject({ ended: true, runs: [{ run_id: first }] });
    const watched = asUser(
      [
        ...['sudo', '-S', '-k', '-p', 'x', '--', `${user.home}/stalltrace-agent`],
        ...['watch', '--run', second, '--run-dir', runs],
      ],
      `${user.password}\n`,
    );
    expect(watched.last).toMatchObject({ event: 'alive', run_id: second, state: 'running' });
    expect(sudoAgent('stop', '--run', second, '--run-dir', runs).code).toBe(0);
    for (const path of [file, `${file}.second`]) {
      expect(statSync(path).uid).toBe(user.uid);
      openRecording(path);
    }
  });
  test('records without root what is their own, in a place of their own', async () => {
    const file = join(user.home, 'captures/own.trace.db');
    const args = ['record', '--detach', '--json', '--out', file, '--', 'true'];
    const detached = agent(...args).last;
    expect(detached).toMatchObject({ event: 'detached', file });
    expect(detached?.run_directory).toMatch(new RegExp(`^/tmp/stalltrace-${user.uid}/`));
    onTestFinished(() => rmSync(`/tmp/stalltrace-${user.uid}`, { recursive: true, force: true }));
    await expect
      .poll(() => agent('status', '--json').stdout, { interval: 200 })
      .toContain('"state":"finished"');
    openRecording(file);
  });
});

describeWith(['agent', 'bpf'], 'check', () => {
  test.each([
    ['btf', 'btf'],
    ['bpf,btf', 'bpf'],
  ])('sees a machine without %s where a test asks for one', (missing, id) => {
    const words = ['env', `STALLTRACE_PRETEND_MISSING=${missing}`, agentPath];
    const check = spawnSync(words[0] ?? '', [...words.slice(1), 'check', '--json'], {
      encoding: 'utf8',
    });
    expect(check.status).toBe(3);
    const { checks } = JSON.parse(check.stdout) as { checks: { id: string; status: string }[] };
    expect(checks.find((each) => each.id === id)?.status).toBe('fail');
    expect(spawnSync(agentPath, ['check', '--pretend-missing', missing]).status).toBe(3);
  });
});

describeWith(['agent', 'bpf'], 'the list', () => {
  test('has a DataLoader with its workers below it, where there is no GPU', async () => {
    const script = join(root, 'test/agent/jobs/dataloader.py');
    const job = spawn(
      '/usr/bin/python3',
      [
        ...[script, '--library', cudart, '--report', '/dev/null', '--workers', '2'],
        ...['--items', '100000', '--features', '16', '--item-sleep-us', '2000'],
      ],
      { stdio: 'ignore', detached: true },
    );
    onTestFinished(() => void process.kill(-Number(job.pid), 'SIGKILL'));
    const listed = () => {
      const { stdout } = spawnSync(agentPath, ['list', '--json'], { encoding: 'utf8' });
      const { processes } = JSON.parse(stdout) as { processes: Record<string, unknown>[] };
      return processes.filter(({ pid, parent_pid }) => [pid, parent_pid].includes(job.pid));
    };
    const main = { pid: job.pid, depth: 0, role: 'main', maps_cuda: true, gpu_memory_bytes: null };
    const worker = { parent_pid: job.pid, depth: 1, role: 'dataloader-worker', maps_cuda: true };
    await expect
      .poll(listed, { interval: 500, timeout: 40_000 })
      .toMatchObject([main, worker, worker]);
  });
});
