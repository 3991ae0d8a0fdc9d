import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Link } from '../../src-main/remote/link/link.ts';
import { linkTo, rowsOf, sessionOver } from '../support/open-session.ts';
import { describeWith } from '../support/requirements.ts';
import { type SshHost, startSshHost } from '../support/ssh-host.ts';
import { createSshUser, type SshUser, type SshUserOptions } from '../support/ssh-user.ts';

describeWith(['sshServer', 'agent', 'bpf'], 'a session on a host', () => {
  let server: SshHost;
  const users: SshUser[] = [];
  const links: Link[] = [];

  beforeAll(async () => {
    server = await startSshHost();
  });
  afterEach(async () => {
    for (const link of links.splice(0)) link.close();
    for (const user of users.splice(0)) await user.remove();
  });
  afterAll(() => server.stop());

  async function signIn(options: SshUserOptions = {}): Promise<{ user: SshUser; link: Link }> {
    const user = await createSshUser(options);
    users.push(user);
    const link = await linkTo(server, user);
    links.push(link);
    return { user, link };
  }

  test('as a user with sudo has everything', async () => {
    const { user, link } = await signIn({ sudo: 'free' });
    const { session, asked } = await sessionOver(link);
    expect(asked).toEqual([]);
    expect(session.privilege).toBe('sudo');
    expect(session.preflight).toMatchObject({ mode: 'full', running: [] });
    expect(session).toMatchObject({ userName: user.name, loginShell: '/bin/bash' });
    expect(Math.abs(session.preflight.host.clockOffsetMs)).toBeLessThan(50);
    expect(rowsOf(session)).toMatchObject({ sudo: { status: 'ok' }, btf: { status: 'ok' } });
  });
});
