import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostAt, open, personSaying } from '../support/remote/open-transport.ts';
import { createSshKey, freePort, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

/** What listens where an SSH server was expected. */
async function withServer(
  answer: (socket: Socket) => void,
  use: (at: { address: string; port: number }) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    await use({ address: '127.0.0.1', port: address.port });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const attempt = (at: { address: string; port: number }, more: Parameters<typeof hostAt>[2] = {}) =>
  open(hostAt(at, 'nobody', more), { trust: testTrust() });

describeWith(['notWindows'], 'what is not an SSH server', () => {
  it('refuses connections', async () => {
    const port = await freePort();
    expect(await attempt({ address: '127.0.0.1', port })).toMatchObject({
      error: {
        code: 'connection-refused',
        message: `127.0.0.1:${port} refuses connections: check the port, and that its SSH server runs.`,
      },
    });
  });

  it('has no such name', async () => {
    expect(await attempt({ address: 'gpu.invalid', port: 22 })).toMatchObject({
      error: { code: 'host-not-found', message: expect.stringContaining('gpu.invalid:22') },
    });
  });

  it('says nothing', async () => {
    await withServer(
      () => undefined,
      async (at) => {
        expect(await attempt(at, { connectTimeoutMs: 300 })).toMatchObject({
          error: { code: 'timed-out', message: expect.stringContaining(`127.0.0.1:${at.port}`) },
        });
      },
    );
  });

  it('speaks HTTP', async () => {
    await withServer(
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      async (at) => {
        expect(await attempt(at)).toMatchObject({
          error: {
            code: 'no-ssh-server',
            message: `127.0.0.1:${at.port} is not an SSH server: it says “HTTP/1.1 400 Bad Request”. Check the port.`,
          },
        });
      },
    );
  });

  it('closes without a word', async () => {
    await withServer(
      (socket) => socket.end(),
      async (at) => {
        expect(await attempt(at)).toMatchObject({
          error: { code: 'no-ssh-server', message: expect.stringContaining('without a word') },
        });
      },
    );
  });

  for (const [name, bytes] of [
    ['a line without end', 'x'.repeat(200_000)],
    ['lines without end', 'welcome\r\n'.repeat(20_000)],
    ['control characters', '\u001b]0;owned\u0007\u202e\n'.repeat(2000)],
    ['SSH 1', 'SSH-1.5-old\r\n'],
    ['an SSH banner and then noise', `SSH-2.0-noise\r\n${'\u00ff'.repeat(5000)}`],
    ['a packet of 4 GB', 'SSH-2.0-huge\r\n\u00ff\u00ff\u00ff\u00ff\u0000\u0014'],
  ] as const)
    it(`sends ${name}`, async () => {
      await withServer(
        (socket) => socket.end(Buffer.from(bytes, 'latin1')),
        async (at) => {
          const failed = await attempt(at, { connectTimeoutMs: 5000 });
          const message = failed.ok ? '' : failed.error.message;
          expect(message).toContain(`127.0.0.1:${at.port}`);
          expect(message.length).toBeLessThan(500);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
          expect(message).not.toMatch(/[\u0000-\u001f\u202e]/);
        },
      );
    });
});

describeWith(['sshServer'], 'an SSH server that can not be used', () => {
  let user: SshUser;
  let folder: string;
  beforeAll(async () => {
    user = await createSshUser();
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-failures-'));
  });
  afterAll(async () => {
    await user.remove();
    rmSync(folder, { recursive: true });
  });

  for (const [line, what] of [
    ['KexAlgorithms sntrup761x25519-sha512@openssh.com', 'key exchange algorithm'],
    ['HostKeyAlgorithms ssh-rsa', 'host key format'],
    ['Ciphers aes192-cbc', undefined],
  ] as const)
    it(`knows no common algorithm (${line})`, async () => {
      const host = await startSshHost({ config: [line] });
      try {
        const failed = await open(hostAt(host, user), {
          trust: testTrust(host),
          ask: personSaying(user.password).ask,
        });
        const offered = line.split(' ')[1] ?? '';
        expect(failed).toMatchObject({ error: { code: 'no-common-algorithm' } });
        const message = failed.ok ? '' : failed.error.message;
        expect(message).toContain(`It offers ${offered}`);
        if (what !== undefined) expect(message).toContain(`no common ${what}.`);
      } finally {
        await host.stop();
      }
    });

  it('gives up after too many keys', async () => {
    const host = await startSshHost({ config: ['MaxAuthTries 2'] });
    try {
      const identityFiles = [0, 1, 2, 3].map((n) => createSshKey(join(folder, `k${n}`)).file);
      const to = hostAt(host, user, { identityFiles });
      expect(await open(to, { trust: testTrust(host) })).toMatchObject({
        error: { code: 'sign-in-failed', message: expect.stringContaining('IdentitiesOnly') },
      });
    } finally {
      await host.stop();
    }
  });

  it('runs commands in a terminal only', async () => {
    // The same server under another name: OpenSSH is known to run commands without a terminal.
    const program = join(folder, 'sshd');
    const binary = readFileSync('/usr/sbin/sshd', 'latin1').replaceAll('OpenSSH_', 'Gateway_');
    writeFileSync(program, binary, { encoding: 'latin1', mode: 0o755 });
    const words = "Error: Your SSH client doesn't support PTY";
    const gateway = await startSshHost({
      program,
      config: [`ForceCommand echo "${words}"; exit 1`],
    });
    const plain = await startSshHost({ program });
    try {
      const opening = (host: typeof gateway) =>
        open(hostAt(host, user), {
          trust: testTrust(host),
          ask: personSaying(user.password).ask,
        });
      expect(await opening(gateway)).toMatchObject({
        error: {
          code: 'pty-required',
          message: expect.stringContaining('SSH over exposed TCP'),
          detail: expect.stringContaining(words),
        },
      });
      await expect.poll(() => gateway.connections()).toEqual([]);
      const opened = await opening(plain);
      expect(opened.ok).toBe(true);
      if (opened.ok) opened.value.close();
    } finally {
      await gateway.stop();
      await plain.stop();
    }
  });

  it('does not wait for the answer to a prompt: the question is taken back', async () => {
    const twoFactors = await createSshUser({ oneTimeCodes: true });
    const host = await startSshHost({ oneTimeCodes: true, config: ['LoginGraceTime 2'] });
    try {
      const failed = await open(hostAt(host, twoFactors), {
        trust: testTrust(host),
        ask: (question, signal) =>
          new Promise((resolve) => {
            if (question.kind === 'password')
              resolve({ kind: 'texts', texts: [twoFactors.password], remember: false });
            else signal.addEventListener('abort', () => resolve({ kind: 'cancel' }));
          }),
      });
      expect(failed).toMatchObject({
        error: { code: 'link-lost', message: expect.stringContaining('while signing in') },
      });
    } finally {
      await host.stop();
      await twoFactors.remove();
    }
  });
});
