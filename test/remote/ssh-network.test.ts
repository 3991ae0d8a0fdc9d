import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSshKey, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshNetwork } from '../support/remote/ssh-network.ts';
import { createSshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer', 'networkNamespaces'], 'the test network', () => {
  it('reaches the inner host through the bastion alone', async () => {
    const network = createSshNetwork();
    const user = await createSshUser();
    const bastion = await startSshHost({ ...network.bastion, port: 22 });
    const inner = await startSshHost({ ...network.inner, port: 22 });
    try {
      const key = createSshKey(join(bastion.folder, 'key'));
      user.authorise(key.publicKey);
      const options = ['-F', 'none', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=2'];
      const trusting = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
      const ssh = (...words: readonly string[]) =>
        execFileSync('ssh', [...options, ...trusting, '-i', key.file, ...words], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        }).trim();
      const jump = `ProxyCommand=ssh ${[...options, ...trusting].join(' ')} -i ${key.file} -W %h:%p ${user.name}@${bastion.address}`;
      const target = `${user.name}@${inner.address}`;
      expect(ssh('-o', jump, target, 'id', '-un')).toBe(user.name);
      expect(() => ssh(target, 'true')).toThrow();
      network.cut();
      expect(() => ssh('-o', jump, target, 'true')).toThrow();
      network.mend();
      expect(ssh('-o', jump, target, 'id', '-un')).toBe(user.name);
    } finally {
      await Promise.all([bastion.stop(), inner.stop()]);
      await user.remove();
      network.remove();
    }
  });
});
