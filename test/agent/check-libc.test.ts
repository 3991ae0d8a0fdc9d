import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../support/agent/agent.ts';
import { agentPath } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** Whether the C library of this machine's programs can have the library inside loaded beside it. */

/** `check --json` of the agent, started by these words. */
function check(...words: readonly string[]) {
  const [program = agentPath, ...args] = [...words, agentPath, 'check', '--json'];
  const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
  const { checks, tiers } = JSON.parse(stdout);
  const idIs = (id: string) => (each: { id: string }) => each.id === id;
  return { libc: checks.find(idIs('libc')), inside: tiers.find(idIs('inside')) };
}

describeWith(['agent'], 'check', () => {
  test('says which C library programs have here', () => {
    // "glibc 2.36"
    const own = spawnSync('getconf', ['GNU_LIBC_VERSION'], { encoding: 'utf8' }).stdout.trim();
    const detail = `${own}: recording from inside needs 2.17.`;
    expect(check().libc).toMatchObject({ status: 'ok', detail });
  });
});

describeWith(['agent', 'mount'], 'check, where programs have another C library', () => {
  test.each([
    [
      'GNU C Library (GNU libc) stable release version 2.12, by Roland McGrath et al.',
      { status: 'warn', detail: expect.stringMatching(/^glibc 2\.12 is too old for recording/) },
      false,
    ],
    [
      'GNU C Library (GNU libc) stable release version 2.17, by Roland McGrath et al.',
      { status: 'ok', detail: 'glibc 2.17: recording from inside needs 2.17.' },
      true,
    ],
    ['no libc at all', { status: 'info', detail: expect.stringContaining('its version') }, true],
  ])('%s', (text, libc, available) => {
    const file = join(scratchFolder(), 'libc.so.6');
    writeFileSync(file, text);
    // The agent is static, and the shell, which is not, has been started by then.
    const mount =
      'mount --bind "$0" "$(readlink -f /lib/$(uname -m)-linux-gnu/libc.so.6)" && exec "$@"';
    const found = check('unshare', '--mount', 'sh', '-c', mount, file);
    expect(found.libc).toMatchObject(libc);
    expect(found.inside).toMatchObject({ available });
    if (!available) expect(found.inside.detail).toBe(found.libc.detail);
  });
});
