import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Credentials } from '../../src-main/remote/sign-in/credentials.ts';
import type { Transport } from '../../src-main/remote/transport/transport.ts';
import { hostAt, must, open, personSaying, run } from '../support/remote/open-transport.ts';
import {
  createSshKey,
  type SshHost,
  type SshKey,
  startSshHost,
} from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer'], 'signing in to a host', () => {
  let host: SshHost;
  let user: SshUser;
  let folder: string;

  beforeAll(async () => {
    host = await startSshHost();
    user = await createSshUser();
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-keys-'));
  });
  afterAll(async () => {
    await host.stop();
    await user.remove();
    rmSync(folder, { recursive: true });
  });

  let made = 0;
  function newKey(options: Parameters<typeof createSshKey>[1] = {}): SshKey {
    const key = createSshKey(join(folder, `key${made++}`), options);
    user.authorise(key.publicKey);
    return key;
  }
  async function isIn(transport: Transport, how: string): Promise<void> {
    expect(transport.facts.signedInWith).toBe(how);
    expect(await run(transport, 'id -un')).toEqual({
      stdout: `${user.name}\n`,
      stderr: '',
      code: 0,
    });
    transport.close();
    expect(await transport.ended).toMatchObject({ wanted: true });
  }

  it('with a password that a person gives, and again without asking', async () => {
    const credentials = new Credentials();
    const person = personSaying(user.password);
    const options = { trust: testTrust(host), credentials, ask: person.ask };
    await isIn(must(await open(hostAt(host, user), options)), 'password');
    expect(person.asked).toEqual([
      { kind: 'password', host: `${user.name}@127.0.0.1:${host.port}`, attempt: 1 },
    ]);
    const unattended = { trust: testTrust(host), credentials };
    await isIn(must(await open(hostAt(host, user), unattended)), 'password');
  });

  it('asks again after a wrong password, three times and no more', async () => {
    const person = personSaying('wrong', 'also wrong', user.password);
    const options = { trust: testTrust(host), ask: person.ask };
    await isIn(must(await open(hostAt(host, user), options)), 'password');
    const stranger = personSaying('a', 'b', 'c', 'd');
    const failed = await open(hostAt(host, user), { trust: testTrust(host), ask: stranger.ask });
    expect(stranger.asked).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
    expect(failed).toMatchObject({
      error: {
        code: 'sign-in-failed',
        message: `Could not sign in to 127.0.0.1:${host.port}: tried password. The host allows publickey, password. Check the user name and the password.`,
      },
    });
  });

  it('never sends a kept password twice that the host refused', async () => {
    const credentials = new Credentials();
    credentials.keepPassword(hostAt(host, user), 'outdated');
    const before = host.log().split('Failed password').length;
    const failed = await open(hostAt(host, user), { trust: testTrust(host), credentials });
    expect(failed).toMatchObject({ error: { code: 'sign-in-failed' } });
    expect(JSON.stringify(failed)).not.toContain('outdated');
    expect(credentials.password(hostAt(host, user))).toBeUndefined();
    await expect.poll(() => host.log().split('Failed password').length).toBe(before + 1);
  });

  for (const [name, options] of [
    ['Ed25519', {}],
    ['RSA', { type: 'rsa' }],
    ['ECDSA', { type: 'ecdsa' }],
    ['RSA in PEM', { type: 'rsa', format: 'PEM' }],
    ['ECDSA in PEM', { type: 'ecdsa', format: 'PEM' }],
    ['RSA in PKCS #8', { type: 'rsa', format: 'PKCS8' }],
    ['ECDSA in PKCS #8', { type: 'ecdsa', format: 'PKCS8' }],
  ] as const)
    it(`with a key: ${name}`, async () => {
      const key = newKey(options);
      const to = hostAt(host, user, { identityFiles: [key.file] });
      await isIn(must(await open(to, { trust: testTrust(host) })), `publickey (${key.file})`);
    });

  for (const [name, options] of [
    ['OpenSSH', {}],
    ['PEM', { type: 'rsa', format: 'PEM' }],
    ['PKCS #8', { type: 'ecdsa', format: 'PKCS8' }],
  ] as const)
    it(`with an encrypted key: ${name}`, async () => {
      const key = newKey({ ...options, passphrase: 'open sesame' });
      const to = hostAt(host, user, { identityFiles: [key.file] });
      const credentials = new Credentials();
      const person = personSaying('wrong', 'open sesame');
      const options2 = { trust: testTrust(host), credentials, ask: person.ask };
      await isIn(must(await open(to, options2)), `publickey (${key.file})`);
      expect(person.asked).toMatchObject([
        { kind: 'passphrase', keyFile: key.file, attempt: 1 },
        { kind: 'passphrase', keyFile: key.file, attempt: 2 },
      ]);
      rmSync(`${key.file}.pub`);
      const unattended = { trust: testTrust(host), credentials };
      await isIn(must(await open(to, unattended)), `publickey (${key.file})`);
    });

  it('does not ask for the passphrase of a key that the host would not take', async () => {
    const key = newKey({ passphrase: 'open sesame' });
    user.authorise('');
    const to = hostAt(host, user, { identityFiles: [key.file] });
    const person = personSaying(user.password);
    await isIn(must(await open(to, { trust: testTrust(host), ask: person.ask })), 'password');
    expect(person.asked.map(({ kind }) => kind)).toEqual(['password']);
  });

  it('says what is wrong with a key', async () => {
    const bad = join(folder, 'bad');
    writeFileSync(bad, 'no key at all');
    const ppk = join(folder, 'ppk');
    writeFileSync(ppk, 'PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\n');
    const publicOnly = newKey();
    user.authorise('');
    const attempt = (file: string) =>
      open(hostAt(host, user, { identityFiles: [file], preferredAuthentications: ['publickey'] }), {
        trust: testTrust(host),
      });
    const allows = 'The host allows publickey, password.';
    expect(await attempt(bad)).toMatchObject({
      error: {
        code: 'key-unreadable',
        message: `${bad} is not a private key that SSH knows. ${allows}`,
      },
    });
    expect(await attempt(ppk)).toMatchObject({
      error: { code: 'key-unreadable', message: expect.stringContaining('PuTTYgen') },
    });
    expect(await attempt(`${publicOnly.file}.pub`)).toMatchObject({
      error: { code: 'key-unreadable', message: expect.stringContaining('without “.pub”') },
    });
    expect(await attempt(join(folder, 'none'))).toMatchObject({
      error: { code: 'key-unreadable', message: expect.stringContaining('does not exist') },
    });
    expect(await attempt(folder)).toMatchObject({ error: { code: 'key-unreadable' } });
  });

  it('with the agent, in the order that IdentityFile says', async () => {
    const socket = join(folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    const keys = [0, 1, 2].map(() => createSshKey(join(folder, `agent${made++}`)));
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    const wanted = keys[2] as SshKey;
    try {
      await expect.poll(() => spawnAdd(keys.map(({ file }) => file))).toBe(true);
      user.authorise(wanted.publicKey);
      const to = hostAt(host, user, { agentSocket: socket, identityFiles: [`${wanted.file}.pub`] });
      // What earlier tests opened has said all it had to.
      await expect.poll(() => host.connections()).toEqual([]);
      const before = host.log().length;
      await isIn(must(await open(to, { trust: testTrust(host) })), 'publickey (agent: test)');
      expect(host.log().slice(before)).not.toContain('Failed publickey');
      await isIn(
        must(await open({ ...to, identitiesOnly: true }, { trust: testTrust(host) })),
        'publickey (agent: test)',
      );
      const others = hostAt(host, user, {
        agentSocket: socket,
        identitiesOnly: true,
        identityFiles: [(keys[0] as SshKey).file],
      });
      expect(await open(others, { trust: testTrust(host) })).toMatchObject({
        error: {
          code: 'sign-in-failed',
          message: expect.stringContaining('publickey (agent: test)'),
        },
      });
    } finally {
      agent.kill();
    }
    function spawnAdd(files: readonly string[]): boolean {
      try {
        execFileSync('ssh-add', ['-q', ...files], { env, stdio: 'pipe' });
        return true;
      } catch {
        return false;
      }
    }
  });

  it('goes on where the agent is not there', async () => {
    const key = newKey({ type: 'rsa' });
    const to = hostAt(host, user, {
      agentSocket: join(folder, 'gone'),
      identityFiles: [key.file],
    });
    await isIn(must(await open(to, { trust: testTrust(host) })), `publickey (${key.file})`);
    user.authorise('');
    expect(await open(to, { trust: testTrust(host) })).toMatchObject({
      error: { message: expect.stringContaining('The SSH agent at') },
    });
  });

  it('withdraws its question and closes the connection when it is cancelled', async () => {
    const stop = new AbortController();
    const asked = Promise.withResolvers<AbortSignal>();
    const opening = open(hostAt(host, user), {
      trust: testTrust(host),
      signal: stop.signal,
      ask: (_question, signal) =>
        new Promise((resolve) => {
          asked.resolve(signal);
          signal.addEventListener('abort', () => resolve({ kind: 'cancel' }));
        }),
    });
    const signal = await asked.promise;
    stop.abort();
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
    expect(signal.aborted).toBe(true);
    await expect.poll(() => host.connections()).toEqual([]);
  });

  it('takes an answer that comes after the host lost its patience', async () => {
    const hasty = await startSshHost({ config: ['LoginGraceTime 4'] });
    try {
      const credentials = new Credentials();
      let asked = 0;
      const transport = must(
        await open(hostAt(hasty, user), {
          trust: testTrust(hasty),
          credentials,
          async ask() {
            asked++;
            await expect.poll(() => hasty.connections()).toEqual([]);
            return { kind: 'texts', texts: [user.password], remember: false };
          },
        }),
      );
      expect(asked).toBe(1);
      await isIn(transport, 'password');
    } finally {
      await hasty.stop();
    }
  });

  it.each([
    [
      'in the moment the host closed, before that was seen',
      (host: SshHost) => {
        host.signalConnections('SIGKILL');
        // Without a turn of the loop, in which the end would be read.
        while (host.processes().length > 0);
      },
    ],
    [
      'to a host that closes without reading it',
      (host: SshHost) => {
        host.signalConnections('SIGSTOP');
        // By then the answer is there, or else it comes later, as above.
        setTimeout(() => host.signalConnections('SIGKILL'), 100);
      },
    ],
  ])('takes an answer that comes %s', async (_, close) => {
    let asked = 0;
    const transport = must(
      await open(hostAt(host, user), {
        trust: testTrust(host),
        async ask() {
          asked++;
          close(host);
          return { kind: 'texts', texts: [user.password], remember: false };
        },
      }),
    );
    expect(asked).toBe(1);
    await isIn(transport, 'password');
  });
});

describeWith(['sshServer'], 'signing in with two factors', () => {
  let user: SshUser;
  beforeAll(async () => {
    user = await createSshUser({ oneTimeCodes: true });
  });
  afterAll(() => user.remove());

  function code(): string {
    return execFileSync('oathtool', ['--totp', '-b', user.totpSecret ?? ''], {
      encoding: 'utf8',
    }).trim();
  }

  it('asks for password and code, and for the code alone when it is connected anew', async () => {
    const host = await startSshHost({ oneTimeCodes: true });
    try {
      const credentials = new Credentials();
      const asked: string[] = [];
      const ask: Parameters<typeof open>[1]['ask'] = async (question) => {
        asked.push(question.kind);
        const texts = [question.kind === 'password' ? user.password : code()];
        return { kind: 'texts', texts, remember: false };
      };
      const options = { trust: testTrust(host), credentials, ask };
      const transport = must(await open(hostAt(host, user), options));
      expect(transport.facts.signedInWith).toBe('keyboard-interactive');
      transport.close();
      must(await open(hostAt(host, user), options)).close();
      expect(asked).toEqual(['password', 'prompts', 'prompts']);
      const unattended = await open(hostAt(host, user), { trust: testTrust(host), credentials });
      expect(unattended).toMatchObject({
        error: { code: 'sign-in-failed', message: expect.stringContaining('connect again') },
      });
    } finally {
      await host.stop();
    }
  });

  it('with a key and then with password and code (AuthenticationMethods)', async () => {
    const host = await startSshHost({
      oneTimeCodes: true,
      config: ['AuthenticationMethods publickey,keyboard-interactive'],
    });
    const folder = mkdtempSync(join(tmpdir(), 'stalltrace-keys-'));
    const socket = join(folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    try {
      const key = createSshKey(join(folder, 'key'));
      const stranger = createSshKey(join(folder, 'stranger'));
      user.authorise(key.publicKey);
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      await expect
        .poll(() => {
          try {
            execFileSync('ssh-add', ['-q', stranger.file, key.file], { env, stdio: 'pipe' });
            return true;
          } catch {
            return false;
          }
        })
        .toBe(true);
      for (const [more, how] of [
        [{ identityFiles: [stranger.file, key.file] }, `publickey (${key.file})`],
        [{ agentSocket: socket }, 'publickey (agent: test)'],
      ] as const) {
        const person = personSaying(user.password, code());
        const transport = must(
          await open(hostAt(host, user, more), { trust: testTrust(host), ask: person.ask }),
        );
        expect(transport.facts.signedInWith).toBe(`${how} and keyboard-interactive`);
        expect(person.asked.map(({ kind }) => kind)).toEqual(['password', 'prompts']);
        transport.close();
      }
    } finally {
      agent.kill();
      rmSync(folder, { recursive: true });
      await host.stop();
    }
  });
});
