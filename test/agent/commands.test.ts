import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentPath } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** What `record` promises COMMAND, and captures in the background. Without BPF: it starts sooner. */

interface Line {
  readonly event: string;
  readonly [key: string]: unknown;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-commands-'));
  // Another user's COMMAND stands in it.
  chmodSync(folder, 0o711);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function agent(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(agentPath, args, { cwd: folder, encoding: 'utf8', timeout: 30_000 });
}

function record(args: readonly string[], ...command: string[]): SpawnSyncReturns<string> {
  const out = ['--out', join(folder, 'run.trace.db'), '--run-dir', join(folder, 'runs')];
  return agent('record', '--no-bpf', ...out, ...args, '--', ...command);
}

function lines(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function lastLine(text: string): Line | undefined {
  return lines(text).at(-1);
}

function states(): unknown {
  const { stdout } = agent('status', '--json', '--run-dir', join(folder, 'runs'));
  const { runs } = JSON.parse(stdout) as { runs: { state: string }[] };
  return runs.map(({ state }) => state);
}

describeWith(['agent'], 'the command line of the agent', () => {
  test.each([
    ['exit 7', 7],
    ['kill -9 $$', 137],
  ])('passes on how COMMAND ended: %s', (script, code) => {
    const { status, stdout } = record(['--json'], 'sh', '-c', script);
    expect(status).toBe(code);
    expect(lines(stdout).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['started', 'target-exited', 'finished']),
    );
    expect(lines(stdout).find(({ event }) => event === 'finished')).toMatchObject({
      v: 1,
      end: 'target-exited',
      exit_code: code,
      job_running: false,
    });
  });

  test('says what it could not start', () => {
    const missing = record([], 'no-such-command');
    expect(missing.status).toBe(127);
    expect(missing.stderr).toContain('"no-such-command" can\'t be started');
    rmSync(join(folder, 'run.trace.db'));
    writeFileSync(join(folder, 'text'), '');
    expect(record([], './text').status).toBe(126);
    // The file of the one before is still there.
    const refused = record(['--json'], 'touch', join(folder, 'ran'));
    expect(refused.status).toBe(125);
    expect(lastLine(refused.stdout)).toMatchObject({ event: 'error', code: 'capture-failed' });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test.each([
    [['record']],
    [['record', '--all', '--pid', '1']],
    [['record', '--all', '--duration', '2x']],
    [['record', '--all', '--duration', '25h']],
    [['record', '--all', '--max-size', '1']],
    [['record', '--all', '--profile', 'everything']],
    [['record', '--all', '--nonsense']],
    [['stop', 'now']],
    [['version', '--json=1']],
  ])('refuses %j in one sentence', (args) => {
    const { status, stdout, stderr } = agent(...args, '--json');
    expect(status).toBe(2);
    expect(lastLine(stdout)).toMatchObject({ event: 'error', code: 'usage' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('tells of each way to record what a launch costs, and how long that holds', () => {
    const { stdout } = agent('record', '--help');
    const rows = /^ +from inside, beside BPF .*?(?=^ +--no-inside, by BPF)/ms.exec(stdout)?.[0];
    expect(rows?.replaceAll(/\s+/g, ' ')).toMatch(
      /1\.8 us, 1\.1 us; a launch as without BPF from 5 s/,
    );
  });

  test('keeps the output of COMMAND apart from its own lines', () => {
    const { stdout, stderr } = record(['--json'], 'echo', 'of the job');
    expect(() => lines(stdout)).not.toThrow();
    expect(stderr).toContain('of the job');
  });

  test('leaves COMMAND none of its descriptors, signals or limits', () => {
    const script =
      'ls /proc/self/fd | wc -l; ulimit -a; umask; nice; grep Sig[^Q] /proc/self/status';
    const plain = spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect(record([], 'sh', '-c', script).stdout).toBe(plain.stdout);
  });

  test('ends the capture, not the job, at Ctrl-C', async () => {
    const out = join(folder, 'run.trace.db');
    const finished = join(folder, 'finished');
    // Half a minute at most.
    const script = `trap "echo interrupted" INT TERM; looks=0
      while [ ! -e finished ] && [ $looks -lt 600 ]; do looks=$((looks + 1)); sleep 0.05; done
      echo whole; exit 5`;
    const args = ['record', '--no-bpf', '--json-fd', '3', '--out', out, '--', 'sh', '-c', script];
    const running = spawn(agentPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    let output = '';
    let events = '';
    let told = false;
    running.stdout?.on('data', (data) => (output += String(data)));
    running.stdio[3]?.on('data', (data: Buffer) => {
      events += String(data);
      if (!told && events.includes('"progress"')) told = running.kill('SIGINT');
      if (events.includes('"finished"')) writeFileSync(finished, '');
    });
    const [code] = (await once(running, 'close')) as [number];
    expect(code).toBe(5);
    expect(output).toBe('whole\n');
    expect(
      lines(events)
        .map(({ event }) => event)
        .slice(-2),
    ).toEqual(['finished', 'target-exited']);
    expect(lines(events).at(-2)).toMatchObject({ end: 'stopped', job_running: true });
  });

  test('leaves COMMAND to itself at a second Ctrl-C that came before the file was complete', async () => {
    const out = join(folder, 'run.trace.db');
    const args = ['record', '--no-bpf', '--json-fd', '3', '--out', out, '--', 'sleep', '30'];
    const running = spawn(agentPath, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let [said, told] = ['', false];
    running.stderr?.on('data', (data) => (said += String(data)));
    running.stdio[3]?.on('data', (data) => {
      if (!told && String(data).includes('"started"'))
        told = running.kill('SIGINT') && running.kill('SIGTERM');
    });
    const [code] = (await once(running, 'exit')) as [number];
    expect([130, 143], said).toContain(code);
    await expect.poll(() => said).toMatch(/goes on as process/);
    expect(said).not.toMatch(/Another Ctrl-C/);
    expect(process.kill(Number(/process (\d+)/.exec(said)?.[1]), 'SIGKILL')).toBe(true);
  });

  test('records in the background until it is stopped', async () => {
    const job = spawn('sleep', ['60']);
    const runs = join(folder, 'runs');
    const where = ['--out', join(folder, 'a.trace.db'), '--run-dir', runs];
    const target = ['--no-bpf', '--pid', String(job.pid)];
    const { status, stdout } = agent('record', '--detach', '--json', ...where, ...target);
    expect(status).toBe(0);
    const detached = lastLine(stdout);
    expect(detached).toMatchObject({ event: 'detached', file: join(folder, 'a.trace.db') });
    expect(states()).toEqual(['running']);
    const stopped = agent('stop', '--json', '--run-dir', runs);
    expect(stopped.status).toBe(0);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      ended: true,
      runs: [{ state: 'finished' }],
    });
    expect(job.exitCode).toBeNull();
    const removed = agent('status', '--remove', '--run-dir', runs, '--json').stdout;
    expect(JSON.parse(removed)).toMatchObject({ removed: [detached?.run_id] });
    expect(states()).toEqual([]);
    job.kill();
    await once(job, 'close');
  });

  test('knows a capture that was killed, and signals nobody for it', async () => {
    const runs = join(folder, 'runs');
    const where = ['--out', join(folder, 'a.trace.db'), '--run-dir', runs];
    const { stdout } = agent('record', '--detach', '--json', '--no-bpf', '--all', ...where);
    const { run_id, run_directory, pid } = lastLine(stdout) as Line;
    process.kill(Number(pid), 'SIGKILL');
    await expect.poll(states).toEqual(['died']);
    // Its pid is another process's now: this one's, with another start.
    const file = join(String(run_directory), 'run.json');
    const about = readFileSync(file, 'utf8');
    writeFileSync(file, about.replace(`"pid":${String(pid)}`, `"pid":${process.pid}`));
    expect(states()).toEqual(['died']);
    expect(agent('stop', '--run', String(run_id), '--run-dir', runs).status).toBe(0);
    writeFileSync(file, about.replace(/"boot_id":"[^"]*"/, '"boot_id":"another"'));
    expect(states()).toEqual(['rebooted']);
  });

  test('lists a thousand captures, says how many it left out, and forgets what is old all the same', () => {
    const runs = join(folder, 'runs');
    mkdirSync(runs, { mode: 0o700 });
    const nowS = Date.now() / 1000;
    const WEEK_S = 7 * 24 * 3600;
    const ids = Array.from({ length: 1_003 }, (_, index) => index.toString(16).padStart(16, '0'));
    for (const [index, id] of ids.entries()) {
      mkdirSync(join(runs, id), { mode: 0o700 });
      const changedS = nowS - 3600 - index - (index < 3 ? WEEK_S : 0);
      utimesSync(join(runs, id), changedS, changedS);
    }
    const old = ids.slice(0, 3);
    const status = (...args: string[]) => agent('status', '--run-dir', runs, '--json', ...args);
    const { stdout, stderr } = status();
    const told = JSON.parse(stdout) as { left_out: number; runs: { run_id: string }[] };
    expect(told.left_out).toBe(3);
    expect(told.runs.map(({ run_id }) => run_id)).toEqual(ids.slice(3));
    expect(stderr).toMatch(/3 more are left out, those that changed longest ago: .* --remove/);
    const one = status('--run', old[0] ?? '');
    expect(JSON.parse(one.stdout)).toMatchObject({ left_out: 0, runs: [{ run_id: old[0] }] });
    expect(one.stderr).toBe('');
    expect(record([], 'true').status).toBe(0);
    expect(readdirSync(runs).sort()).toEqual(ids.slice(3));
  });

  test('refuses a folder of runs that others can enter', () => {
    chmodSync(folder, 0o755);
    const { status, stderr } = agent('status', '--run-dir', folder);
    expect(status).toBe(1);
    expect(stderr).toContain('is not a folder that only user');
  });
});

describeWith(['agent', 'root'], 'the command line of the agent, as root', () => {
  test('refuses a process of another user to who is not root', () => {
    const program = join(folder, 'agent');
    copyFileSync(agentPath, program);
    const out = join(folder, 'a.trace.db');
    const args = ['record', '--json', '--pid', String(process.pid), '--out', out];
    const nobody = { uid: 65_534, gid: 65_534, cwd: '/tmp', encoding: 'utf8' } as const;
    const refused = spawnSync(program, args, nobody);
    expect(refused.status).toBe(1);
    expect(lastLine(refused.stdout)).toMatchObject({ event: 'error', code: 'not-permitted' });
    expect(refused.stderr).toContain(`Process ${process.pid} belongs to user root`);
  });

  test('runs COMMAND as the user named, for good', () => {
    const script = `id -u; id -g; id -G; echo $HOME $USER; grep -E '^Cap(Prm|Eff|Amb)' /proc/self/status
      env | grep -c ^SUDO_`;
    const { status, stdout } = record(['--user', 'nobody'], 'sh', '-c', script);
    const of = (...args: string[]) => spawnSync('id', args, { encoding: 'utf8' }).stdout.trim();
    const [uid, gid, groups, home, ...rest] = stdout.trim().split('\n');
    expect([uid, gid, groups]).toEqual([
      of('-u', 'nobody'),
      of('-g', 'nobody'),
      of('-G', 'nobody'),
    ]);
    expect(home).toMatch(/^\/\S* nobody$/);
    expect(rest).toEqual([
      expect.stringMatching(/0{16}$/),
      expect.stringMatching(/0{16}$/),
      expect.stringMatching(/0{16}$/),
      '0',
    ]);
    expect(status).toBe(1);
    expect(agent('record', '--user', 'nobody-here', '--', 'true').status).toBe(125);
  });
});
