import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sessionOver, tryOpen } from '../support/remote/open-session.ts';
import { must, personSaying } from '../support/remote/open-transport.ts';
import { SignedIn } from '../support/remote/signed-in.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

const never = new AbortController().signal;

describeWith(['sshServer', 'agent'], 'the way to root’s rights', () => {
  let server: SshHost;
  let here: SignedIn;

  beforeAll(async () => {
    server = await startSshHost();
    here = new SignedIn(server);
  });
  afterEach(() => here.leave());
  afterAll(() => server.stop());

  test('is a password, which is asked for again when it was wrong', async () => {
    const { user, link } = await here.user({ sudo: 'password' });
    const { session, asked } = await sessionOver(link, ['wrong', user.password]);
    expect(session.privilege).toBe('sudo-password');
    expect(asked).toMatchObject([
      { kind: 'sudo-password', user: user.name, host: link.connected.address, attempt: 1 },
      { kind: 'sudo-password', attempt: 2 },
    ]);
  });

  test('is declined by cancelling, and by three wrong ones', async () => {
    const { link } = await here.user({ sudo: 'password' });
    const declined = must((await tryOpen(link)).opened);
    expect(declined.privilege).toBe('sudo-declined');
    const person = personSaying('one', 'two', 'three', 'four');
    const wrong = must((await tryOpen(link, person.ask)).opened);
    expect(wrong.privilege).toBe('sudo-declined');
    expect(person.asked).toHaveLength(3);
    expect(JSON.stringify(wrong.preflight.rows)).toContain('wrong 3 times');
  });

  test('does not exist for a user who is no sudoer', async () => {
    const { user, link } = await here.user({ sudo: 'none' });
    const { session, asked } = await sessionOver(link, [user.password]);
    expect(session.privilege).toBe('not-sudoer');
    expect(asked).toHaveLength(1);
  });

  test('shows the password to nobody', async () => {
    const { user, link } = await here.user({ sudo: 'password' });
    const seen = watchCommandLines(user.password);
    const { session, said, asked } = await sessionOver(link, [user.password]);
    const channel = must(
      await session.openAgent(['list', '--json'], { asRoot: true, signal: never }),
    );
    channel.stdin.end();
    const answer = Buffer.concat((await channel.stdout.toArray()) as Buffer[]).toString();
    await channel.exit;
    expect(seen.stop()).toMatchObject({ found: [], sawSudo: true });
    const told = JSON.stringify([session.preflight, said, asked, answer, channel.stderrTail()]);
    expect(told).not.toContain(user.password);
    expect(server.log()).not.toContain(user.password);
  });

  test('gives a program its own standard input, whatever the locale', async () => {
    const { user, link } = await here.user({ sudo: 'password' });
    user.write('.bashrc', 'export LC_ALL=C.UTF-8\n');
    const { session } = await sessionOver(link, [user.password]);
    const channel = must(
      await session.openAgent(['send', '--file', '/etc/hostname'], {
        asRoot: true,
        signal: never,
      }),
    );
    channel.stdin.end('hash\n');
    const lines = Buffer.concat((await channel.stdout.toArray()) as Buffer[]).toString();
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['ready', 'hash']);
  });
});

/** Looks for `canary` in all command lines and environments of this machine, until it is stopped. */
function watchCommandLines(canary: string) {
  const found: string[] = [];
  let sawSudo = false;
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const commandLine = read(join('/proc', pid, 'cmdline'));
      sawSudo ||= commandLine.startsWith('sudo\0-S');
      if (Number(pid) === process.pid) continue;
      const texts = [commandLine, read(join('/proc', pid, 'environ'))];
      if (texts.some((text) => text.includes(canary))) found.push(commandLine);
    }
  }, 3);
  return {
    stop() {
      clearInterval(timer);
      return { found, sawSudo };
    },
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
