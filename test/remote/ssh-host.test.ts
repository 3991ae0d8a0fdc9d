import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSshKey, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer'], 'the test host', () => {
  it('lets a user with a key in, and nobody after it is gone', async () => {
    const host = await startSshHost();
    const user = await createSshUser({ sudo: 'free' });
    try {
      const key = createSshKey(join(host.folder, 'key'));
      user.authorise(key.publicKey);
      const knownHosts = join(host.folder, 'known_hosts');
      writeFileSync(knownHosts, host.knownHostsLines());
      const ssh = (...command: readonly string[]) =>
        execFileSync(
          'ssh',
          [
            ...['-F', 'none', '-o', `UserKnownHostsFile=${knownHosts}`, '-o', 'BatchMode=yes'],
            ...[
              '-i',
              key.file,
              '-p',
              String(host.port),
              `${user.name}@${host.address}`,
              ...command,
            ],
          ],
          { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
        ).trim();
      expect(ssh('id', '-un')).toBe(user.name);
      expect(ssh('sudo', '-n', 'id', '-un')).toBe('root');
      await host.stop();
      expect(() => ssh('true')).toThrow('Connection refused');
    } finally {
      await host.stop();
      await user.remove();
    }
  });
});
