import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { record, scratchFolder } from '../support/agent/agent.ts';
import { agentPath, event, value } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** What must never be in the file, and who may read it. */

type Nine = [string, string, string, string, string, string, string, string, string];

const NOBODY = 65_534;

const SECRETS = [
  'canary-argument-7f3a',
  'canary-password-19bc',
  'ghp_canaryCANARY0123456789abcdefghijkl',
  'canary-variable-20c4',
  '492817',
  'canary-login-881e',
  'canary-key-3d09',
  'T0CANARY/B0CANARY/canary',
  'canary-title-6a1b',
];
const [token, password, prefixed, variable, code, login, key, hook, title] = SECRETS as Nine;
const ENVIRONMENT_SECRET = 'canary-environment-55d0';
const env = { CANARY_SECRET: ENVIRONMENT_SECRET, HF_TOKEN: ENVIRONMENT_SECRET };
/** A job whose command line has them all but the title's, there for long enough to be looked at. */
const job = [
  // Of a sampled recording that is 20 looks.
  ...['/bin/sh', '-c', 'sleep 0.2; exit 0', 'job', `--token=${token}`],
  ...['--api-key', prefixed, `https://user:${password}@example.org/`],
  ...[`PGPASSWORD=${variable}`, '--otp', code, '--login', `me:${login}`, '--key', key],
  `https://hooks.slack.com/services/${hook}`,
];

function expectNoSecretIn(text: string): void {
  for (const secret of [...SECRETS, ENVIRONMENT_SECRET]) expect(text).not.toContain(secret);
}

describeWith(['agent'], 'the list of processes', () => {
  test('has no secret of a title that a process gave itself', async () => {
    const argv0 = `worker --password ${title} --queue a`;
    // Those that are called so are listed.
    const program = join(scratchFolder(), 'python3');
    symlinkSync('/bin/sleep', program);
    const worker = spawn(program, ['60'], { argv0, stdio: 'ignore' });
    try {
      await once(worker, 'spawn');
      const listed = execFileSync(agentPath, ['list', '--json'], { encoding: 'utf8' });
      expect(listed).toContain('worker --password [redacted] --queue a');
      expectNoSecretIn(listed);
    } finally {
      worker.kill();
    }
  });
});

describeWith(['agent'], 'what a run in the background tells', () => {
  test('has no secret, in its folder or to who follows it', async () => {
    const folder = scratchFolder();
    const file = join(folder, 'a.trace.db');
    const runs = ['--run-dir', join(folder, 'runs')];
    const agent = (...args: string[]) =>
      execFileSync(agentPath, args, { encoding: 'utf8', env: { ...process.env, ...env } });
    const recorded = ['--no-bpf', '--detach', '--json', '--out', file, ...runs, '--', ...job];
    const said = agent('record', ...recorded);
    const { run_id, run_directory } = JSON.parse(said.trim().split('\n').at(-1) ?? '') as {
      readonly run_id: string;
      readonly run_directory: string;
    };
    // Its input stays open until it has ended by itself.
    const watcher = spawn(agentPath, ['watch', '--run', run_id, ...runs]);
    let watched = '';
    watcher.stdout.setEncoding('utf8').on('data', (data: string) => (watched += data));
    watcher.stderr.setEncoding('utf8').on('data', (data: string) => (watched += data));
    await once(watcher, 'close');
    expect(watched).toContain('"finished"');
    const kept = readdirSync(run_directory).map((name) =>
      readFileSync(join(run_directory, name), 'latin1'),
    );
    // Where the command is kept, it is without them.
    expect(kept.join()).toContain('--token=');
    const sent = execFileSync(agentPath, ['send', '--file', file], { input: '', encoding: 'utf8' });
    for (const text of [said, watched, agent('status', '--json', ...runs)]) expectNoSecretIn(text);
    for (const text of [...kept, sent, readFileSync(file, 'latin1')]) expectNoSecretIn(text);
    expect(statSync(run_directory).mode & 0o077).toBe(0);
  });
});

describeWith(['agent', 'bpf'], 'the file', () => {
  test('has no secret of a command line, and nothing of the environment', async () => {
    const recording = await record(job, { env });
    expect(recording.code, recording.stderr).toBe(0);
    expectNoSecretIn(readFileSync(recording.file, 'latin1'));
    const line = value(
      recording.file,
      `SELECT command_line FROM process WHERE pid = ${String(event(recording, 'started')?.pid)}`,
    );
    expect(line).toContain('--token=');
    expectNoSecretIn(JSON.stringify(recording.events));
  });

  test('belongs to root alone where root records for itself', async () => {
    const recording = await record(['/bin/true']);
    const { uid, mode } = statSync(recording.file);
    expect(uid).toBe(0);
    expect(mode & 0o077).toBe(0);
  });

  test('belongs to the user who called sudo, and the job runs as that user', async () => {
    const folder = scratchFolder();
    chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o700);
    const env = { SUDO_UID: String(NOBODY), SUDO_GID: String(NOBODY), SUDO_USER: 'nobody' };
    const command = ['/bin/sh', '-c', 'id -u; pwd'];
    const recording = await record(command, { folder, env });
    expect(recording.code, recording.stderr).toBe(0);
    expect(recording.stdout).toBe(`${NOBODY}\n${process.cwd()}\n`);
    const { uid, gid, mode } = statSync(recording.file);
    expect([uid, gid, mode & 0o077]).toEqual([NOBODY, NOBODY, 0]);
  });
});
