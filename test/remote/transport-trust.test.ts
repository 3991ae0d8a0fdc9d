import { afterAll, beforeAll, expect, it } from 'vitest';
import { Credentials } from '../../src-main/remote/sign-in/credentials.ts';
import type { OpenOptions } from '../support/remote/open-transport.ts';
import { hostAt, must, open, personSaying } from '../support/remote/open-transport.ts';
import { type SshHost, type SshKey, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer'], "a host's key", () => {
  let host: SshHost;
  let user: SshUser;
  let name: string;

  beforeAll(async () => {
    host = await startSshHost();
    user = await createSshUser();
    name = `${user.name}@127.0.0.1:${host.port}`;
  });
  afterAll(async () => {
    await host.stop();
    await user.remove();
  });

  /** Signs in with what a person gave before, so that only the key is asked about. */
  function opened(options: OpenOptions, more: Parameters<typeof hostAt>[2] = {}) {
    const credentials = options.credentials ?? new Credentials();
    const to = hostAt(host, user, more);
    credentials.keepPassword(to, user.password);
    return open(to, { ...options, credentials });
  }
  function keyOf(type: 'ed25519' | 'rsa' | 'ecdsa'): SshKey {
    const key = host.hostKeys.get(type);
    if (key === undefined) throw new Error('no such key');
    return key;
  }
  const blobOf = (key: SshKey): string => key.publicKey.split(' ')[1] ?? '';
  const stranger = 'AAAAC3NzaC1lZDI1NTE5AAAAIBvRzBfYvLQJ6iLrnMRLPnIuk7k8EmXAw8GnXwLZxAbc';

  it('that is not known is shown, and written down when it is trusted', async () => {
    const trust = testTrust();
    const person = personSaying({ kind: 'trust', once: false });
    const transport = must(await opened({ trust, ask: person.ask }));
    const { fingerprint } = keyOf('ed25519');
    expect(person.asked).toEqual([
      { kind: 'host-key', host: name, key: { type: 'ssh-ed25519', fingerprint }, alsoKnownAs: [] },
    ]);
    expect(transport.facts.hostKey).toEqual({ type: 'ssh-ed25519', fingerprint });
    transport.close();
    expect(trust.known.get(`127.0.0.1:${host.port}`)).toEqual([blobOf(keyOf('ed25519'))]);
    must(await opened({ trust })).close();
  });

  it('trusted once is written nowhere, and known until the connection is given up', async () => {
    const trust = testTrust();
    const credentials = new Credentials();
    const person = personSaying({ kind: 'trust', once: true });
    must(await opened({ trust, credentials, ask: person.ask })).close();
    must(await opened({ trust, credentials })).close();
    expect(trust.known.size).toBe(0);
    credentials.clear();
    expect(await opened({ trust, credentials })).toMatchObject({
      error: { code: 'host-key-unknown' },
    });
  });

  it('that nobody confirms ends it before anything is sent', async () => {
    // What earlier tests opened says in the log that it ends, and whose it was.
    await expect.poll(() => host.connections()).toEqual([]);
    const before = host.log().length;
    const person = personSaying();
    const refused = await opened({ trust: testTrust(), ask: person.ask });
    const { fingerprint } = keyOf('ed25519');
    expect(refused).toMatchObject({
      error: {
        code: 'host-key-unknown',
        message: `The key of 127.0.0.1:${host.port} is not known (ssh-ed25519 ${fingerprint}), and nobody confirmed it: connect again and compare it with what the host's owner says.`,
      },
    });
    await expect.poll(() => host.connections()).toEqual([]);
    expect(host.log().slice(before)).not.toContain(user.name);
  });

  for (const [strict, outcome] of [
    ['yes', 'host-key-unknown'],
    ['no', 'host-key-unknown'],
    ['ask', 'host-key-unknown'],
  ] as const)
    it(`with StrictHostKeyChecking ${strict} and nobody to ask: ${outcome}`, async () => {
      const trust = testTrust();
      expect(await opened({ trust }, { strictHostKeyChecking: strict })).toMatchObject({
        error: { code: outcome },
      });
    });

  it('with StrictHostKeyChecking yes is not even asked about', async () => {
    const person = personSaying({ kind: 'trust', once: false });
    const to = { strictHostKeyChecking: 'yes' } as const;
    expect(await opened({ trust: testTrust(), ask: person.ask }, to)).toMatchObject({
      error: { code: 'host-key-unknown', message: expect.stringContaining('is yes') },
    });
    expect(person.asked).toEqual([]);
  });

  it('with StrictHostKeyChecking accept-new is written down unasked, but never a changed one', async () => {
    const trust = testTrust();
    const to = { strictHostKeyChecking: 'accept-new' } as const;
    must(await opened({ trust }, to)).close();
    expect(trust.known.get(`127.0.0.1:${host.port}`)).toEqual([blobOf(keyOf('ed25519'))]);
    trust.known.set(`127.0.0.1:${host.port}`, [stranger]);
    expect(await opened({ trust }, to)).toMatchObject({ error: { code: 'host-key-changed' } });
  });

  it('that has changed blocks, with both fingerprints and the place of the old one', async () => {
    const trust = testTrust();
    trust.known.set(`127.0.0.1:${host.port}`, [stranger]);
    trust.replaceable = false;
    const person = personSaying({ kind: 'replace' });
    const refused = await opened({ trust, ask: person.ask });
    const { fingerprint } = keyOf('ed25519');
    expect(person.asked).toMatchObject([
      {
        kind: 'host-key-changed',
        key: { fingerprint },
        known: [{ type: 'ssh-ed25519', file: '/known_hosts', line: 1 }],
        replaceable: false,
      },
    ]);
    const message = refused.ok ? '' : refused.error.message;
    expect(refused).toMatchObject({ error: { code: 'host-key-changed' } });
    expect(message).toContain(fingerprint);
    expect(message).toMatch(/the known one is ssh-ed25519 SHA256:\S+ in \/known_hosts, line 1\./);
    expect(message).toContain(`ssh-keygen -R '[127.0.0.1]:${host.port}' -f `);
    expect(trust.known.get(`127.0.0.1:${host.port}`)).toEqual([stranger]);
  });

  it("that has changed is replaced on a person's word, in the app's own file", async () => {
    const trust = testTrust();
    trust.known.set(`127.0.0.1:${host.port}`, [stranger]);
    const person = personSaying({ kind: 'replace' });
    must(await opened({ trust, ask: person.ask })).close();
    expect(trust.known.get(`127.0.0.1:${host.port}`)).toEqual([blobOf(keyOf('ed25519'))]);
  });

  it('of a type that is known is asked for first: a host with others does not look changed', async () => {
    for (const [type, shown] of [
      ['rsa', 'ssh-rsa'],
      ['ecdsa', 'ecdsa-sha2-nistp256'],
    ] as const) {
      const trust = testTrust();
      trust.known.set(`127.0.0.1:${host.port}`, [blobOf(keyOf(type))]);
      const transport = must(await opened({ trust }));
      expect(transport.facts.hostKey).toEqual({
        type: shown,
        fingerprint: keyOf(type).fingerprint,
      });
      transport.close();
    }
  });

  it('that is revoked, or known by a certificate authority alone, is refused', async () => {
    const trust = testTrust();
    const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:x' };
    const record = { ...key, file: '/etc/known', line: 7 };
    const person = personSaying({ kind: 'trust', once: false });
    trust.verdict = { kind: 'revoked', key, record };
    expect(await opened({ trust, ask: person.ask })).toMatchObject({
      error: { code: 'host-key-revoked', message: expect.stringContaining('/etc/known, line 7') },
    });
    trust.verdict = { kind: 'ca', key, record };
    expect(await opened({ trust, ask: person.ask })).toMatchObject({
      error: { code: 'needs-system-ssh' },
    });
    expect(person.asked).toEqual([]);
  });
});
