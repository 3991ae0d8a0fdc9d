import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { record, scratchFolder } from '../support/agent.ts';
import { value } from '../support/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** What must never be in the file, and who may read it. */

const NOBODY = 65_534;

describeWith(['agent', 'bpf'], 'the file', () => {
  test('has no secret of a command line, and nothing of the environment', async () => {
    const secrets = [
      'canary-argument-7f3a',
      'canary-password-19bc',
      'ghp_canaryCANARY0123456789abcdefghijkl',
    ];
    const [token = '', password = '', prefixed = ''] = secrets;
    const command = [
      ...['/bin/sh', '-c', 'sleep 0.2; exit 0', 'job', `--token=${token}`],
      ...['--api-key', prefixed, `https://user:${password}@example.org/`],
    ];
    const env = { CANARY_SECRET: 'canary-environment-55d0', HF_TOKEN: 'canary-environment-55d0' };
    const recording = await record(command, { env });
    expect(recording.code, recording.stderr).toBe(0);
    const bytes = readFileSync(recording.file).toString('latin1');
    for (const secret of [...secrets, 'canary-environment-55d0'])
      expect(bytes).not.toContain(secret);
    const line = value(recording.file, `SELECT command_line FROM process WHERE name = 'sh'`);
    expect(line).toContain('--token=');
    const told = JSON.stringify(recording.events);
    for (const secret of secrets) expect(told).not.toContain(secret);
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
