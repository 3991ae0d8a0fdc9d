import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configEnvironment } from '../../src-main/remote/config/config-environment.ts';
import { parseTarget } from '../../src-main/remote/config/parse-target.ts';
import { resolveHost } from '../../src-main/remote/config/resolve-host.ts';
import type { ResolvedHost } from '../../src-main/remote/config/resolved-host.ts';
import type { Ask } from '../../src-main/remote/link/ask.ts';
import { Credentials } from '../../src-main/remote/sign-in/credentials.ts';
import { openSystemSsh } from '../../src-main/remote/system-ssh/open-system-ssh.ts';
import type { Transport } from '../../src-main/remote/transport/transport.ts';
import { openHostTrust } from '../../src-main/remote/trust/open-host-trust.ts';
import { must, personSaying, run } from '../support/remote/open-transport.ts';
import { createSshKey, freePort, type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** What the server says of each wrong password, and of a sign-in that came to nothing. */
const REFUSED = /Failed password/g;
const FAREWELL = /Connection (closed|reset) by authenticating user/g;

describeWith(['sshServer'], 'by the system’s ssh', () => {
  let server: SshHost;
  let user: SshUser;
  let home: string;
  let runtime: string;

  beforeAll(async () => {
    server = await startSshHost();
    user = await createSshUser();
  });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'stalltrace-home-'));
    runtime = mkdtempSync(join(tmpdir(), 'st-run-'));
    mkdirSync(join(home, '.ssh'), { mode: 0o700 });
  });
  afterAll(async () => {
    await server.stop();
    await user.remove();
  });

  const environment = () => ({
    ...configEnvironment(),
    homeFolder: home,
    configFile: join(home, '.ssh', 'config'),
    env: { ...process.env, XDG_RUNTIME_DIR: runtime, SSH_AUTH_SOCK: '' },
  });
  const ownKnownHosts = () => join(home, 'own', 'known_hosts');

  /** Resolves `line` by a configuration of these lines; the user's known_hosts holds `known`. */
  async function resolve(
    line: string,
    config: readonly string[] = [],
    known = server.knownHostsLines(),
  ): Promise<ResolvedHost> {
    const usersFile = join(home, '.ssh', 'known_hosts');
    writeFileSync(usersFile, known);
    writeFileSync(
      environment().configFile,
      [
        ...config,
        'Host *',
        `UserKnownHostsFile ${usersFile}`,
        `IdentityFile ${home}/none`,
        '',
      ].join('\n'),
    );
    const target = must(parseTarget(line));
    const { signal } = new AbortController();
    return must(await resolveHost(target, { environment: environment(), signal }));
  }

  function open(
    host: ResolvedHost,
    more: { ask?: Ask; credentials?: Credentials; signal?: AbortSignal; keepAliveMs?: number } = {},
  ) {
    return openSystemSsh(host, {
      environment: environment(),
      trust: openHostTrust(ownKnownHosts()),
      ownKnownHosts: ownKnownHosts(),
      credentials: new Credentials(),
      signal: new AbortController().signal,
      ...more,
    });
  }

  const address = () => `ssh -p ${server.port} ${user.name}@127.0.0.1`;

  /** Signed in with the password, by a host that is known. */
  async function connected(keepAliveMs = 5000): Promise<Transport> {
    const credentials = new Credentials();
    const host = await resolve(address());
    credentials.keepPassword(host, user.password);
    return must(await open(host, { credentials, keepAliveMs }));
  }

  async function isGone(transport: Transport): Promise<void> {
    transport.close();
    expect(await transport.ended).toMatchObject({ wanted: true });
    await expect.poll(() => readdirSync(runtime)).toEqual([]);
  }

  it('signs in with a password that a person gives, and again from memory', async () => {
    const host = await resolve(address());
    const person = personSaying(user.password);
    const credentials = new Credentials();
    const transport = must(await open(host, { ask: person.ask, credentials }));
    expect(transport.facts).toEqual({
      signedInWith: 'password',
      via: [],
      hostKey: { type: 'ssh-ed25519', fingerprint: server.hostKeys.get('ed25519')?.fingerprint },
    });
    expect(await run(transport, 'id -un')).toEqual({
      stdout: `${user.name}\n`,
      stderr: '',
      code: 0,
    });
    expect(person.asked).toEqual([
      { kind: 'password', host: `${user.name}@127.0.0.1:${server.port}`, attempt: 1 },
    ]);
    await isGone(transport);
    const again = must(await open(host, { credentials }));
    expect(await run(again, 'echo out; echo err >&2; exit 7')).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      code: 7,
    });
    await isGone(again);
  });

  it('asks again after a wrong password; unattended it sends one that is refused once', async () => {
    const host = await resolve(address());
    const person = personSaying('wrong', user.password);
    await isGone(must(await open(host, { ask: person.ask })));
    expect(person.asked).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    const credentials = new Credentials();
    credentials.keepPassword(host, 'outdated');
    const said = (words: RegExp) => server.log().match(words)?.length ?? 0;
    const refusals = said(REFUSED);
    const farewells = said(FAREWELL);
    const failed = await open(host, { credentials });
    expect(failed).toMatchObject({ ok: false, error: { code: 'sign-in-failed' } });
    expect(JSON.stringify(failed)).not.toContain('outdated');
    await expect.poll(() => said(FAREWELL)).toBe(farewells + 1);
    expect(said(REFUSED)).toBe(refusals + 1);
    expect(readdirSync(runtime)).toEqual([]);
  });

  it('asks nobody where nobody is there, and says what was tried and what is allowed', async () => {
    const failed = await open(await resolve(address()));
    expect(failed).toMatchObject({
      ok: false,
      error: {
        code: 'sign-in-failed',
        message: expect.stringContaining('The host allows publickey, password.'),
        detail: expect.stringContaining('Permission denied (publickey,password)'),
      },
    });
  });

  it('with an encrypted key, and with one that is signed by an authority', async () => {
    const key = createSshKey(join(home, 'key'), { passphrase: 'open sesame' });
    user.authorise(key.publicKey);
    const person = personSaying('wrong', 'open sesame');
    const credentials = new Credentials();
    const host = await resolve(`${address()} -i ${key.file}`);
    const transport = must(await open(host, { ask: person.ask, credentials }));
    expect(transport.facts.signedInWith).toBe(`publickey (${key.file})`);
    expect(person.asked).toMatchObject([
      { kind: 'passphrase', keyFile: key.file, attempt: 1 },
      { kind: 'passphrase', keyFile: key.file, attempt: 2 },
    ]);
    await isGone(transport);
    await isGone(must(await open(host, { credentials })));
    user.authorise('');

    const authority = createSshKey(join(home, 'authority'));
    writeFileSync(join(home, 'ca.pub'), `${authority.publicKey}\n`);
    const certified = createSshKey(join(home, 'certified'));
    execFileSync('ssh-keygen', [
      '-q',
      '-s',
      authority.file,
      '-I',
      'me',
      '-n',
      user.name,
      `${certified.file}.pub`,
    ]);
    const strict = await startSshHost({
      config: [`TrustedUserCAKeys ${home}/ca.pub`, 'PasswordAuthentication no'],
    });
    try {
      const signed = await resolve(
        `ssh -p ${strict.port} ${user.name}@127.0.0.1 -i ${certified.file}`,
        [],
        strict.knownHostsLines(),
      );
      expect(signed.needsSystemSsh).toContain('a key that has a certificate');
      const second = must(await open(signed));
      expect(second.facts.signedInWith).toContain('publickey');
      expect(await run(second, 'id -un')).toMatchObject({ stdout: `${user.name}\n` });
      await isGone(second);
    } finally {
      await strict.stop();
    }
  });

  it('through a ProxyCommand and through a ProxyJump, each hop’s key and password of its own', async () => {
    const credentials = new Credentials();
    const config = [
      'Host behind',
      `HostName 127.0.0.1`,
      `Port ${server.port}`,
      `User ${user.name}`,
      `ProxyCommand ${process.execPath} -e "const s=require('net').connect(%p,'%h');process.stdin.pipe(s).pipe(process.stdout)"`,
    ];
    const behind = await resolve('behind', config);
    expect(behind.needsSystemSsh).toContain('ProxyCommand');
    credentials.keepPassword(behind, user.password);
    const transport = must(await open(behind, { credentials }));
    expect(await run(transport, 'echo hi')).toMatchObject({ stdout: 'hi\n' });
    await isGone(transport);

    const bastion = await startSshHost();
    const bastionUser = await createSshUser();
    try {
      const host = await resolve(address(), [
        'Host 127.0.0.1',
        'ProxyJump bastion',
        'Host bastion',
        'HostName localhost',
        `Port ${bastion.port}`,
        `User ${bastionUser.name}`,
      ]);
      const person = personSaying(bastionUser.password, user.password);
      const asked: string[] = [];
      const jumped = must(
        await open(host, {
          credentials: new Credentials(),
          ask: async (question, signal) => {
            asked.push(`${question.kind} ${question.host}`);
            return question.kind === 'host-key'
              ? { kind: 'trust', once: false }
              : person.ask(question, signal);
          },
        }),
      );
      expect(jumped.facts.via).toEqual([`${bastionUser.name}@localhost:${bastion.port}`]);
      expect(asked).toEqual([
        `host-key ${bastionUser.name}@localhost:${bastion.port}`,
        `password ${bastionUser.name}@localhost:${bastion.port}`,
        `password ${user.name}@127.0.0.1:${server.port}`,
      ]);
      expect(await run(jumped, 'id -un')).toMatchObject({ stdout: `${user.name}\n` });
      expect(readFileSync(ownKnownHosts(), 'utf8')).toContain(`[localhost]:${bastion.port} `);
      await isGone(jumped);
    } finally {
      await bastion.stop();
      await bastionUser.remove();
    }
  });

  it('an unknown key is shown; trusted once it is in no file, and is trusted again', async () => {
    const host = await resolve(address(), [], '');
    const usersFile = join(home, '.ssh', 'known_hosts');
    const credentials = new Credentials();
    credentials.keepPassword(host, user.password);
    const questions: unknown[] = [];
    const saying =
      (once: boolean): Ask =>
      async (question) => {
        questions.push(question);
        return { kind: 'trust', once };
      };
    await isGone(must(await open(host, { credentials, ask: saying(true) })));
    expect(questions).toEqual([
      {
        kind: 'host-key',
        host: `${user.name}@127.0.0.1:${server.port}`,
        key: { type: 'ssh-ed25519', fingerprint: server.hostKeys.get('ed25519')?.fingerprint },
        alsoKnownAs: [],
      },
    ]);
    expect(existsSync(ownKnownHosts())).toBe(false);
    await isGone(must(await open(host, { credentials })));

    const others = new Credentials();
    others.keepPassword(host, user.password);
    const refused = await open(host, { credentials: others });
    expect(refused).toMatchObject({ error: { code: 'host-key-unknown' } });
    const cancelled = await open(host, {
      credentials: others,
      ask: async () => ({ kind: 'cancel' }),
    });
    expect(cancelled).toMatchObject({ error: { code: 'host-key-unknown' } });

    await isGone(must(await open(host, { credentials: others, ask: saying(false) })));
    expect(readFileSync(ownKnownHosts(), 'utf8')).toContain(
      server.hostKeys.get('ed25519')?.publicKey,
    );
    expect(readFileSync(usersFile, 'utf8')).toBe('');
    await isGone(must(await open(host, { credentials: others })));
  });

  it('a changed key is refused, with both; replaced, it holds, and the user’s file is as it was', async () => {
    const old = createSshKey(join(home, 'old'));
    const known = `[127.0.0.1]:${server.port} ${old.publicKey}\n`;
    const host = await resolve(address(), [], known);
    const credentials = new Credentials();
    credentials.keepPassword(host, user.password);
    const refused = await open(host, { credentials });
    expect(refused).toMatchObject({ error: { code: 'host-key-changed' } });
    const questions: unknown[] = [];
    const transport = must(
      await open(host, {
        credentials,
        ask: async (question) => {
          questions.push(question);
          return { kind: 'replace' };
        },
      }),
    );
    expect(questions).toMatchObject([
      {
        kind: 'host-key-changed',
        key: { fingerprint: server.hostKeys.get('ed25519')?.fingerprint },
        known: [{ fingerprint: old.fingerprint, line: 1, file: join(home, '.ssh', 'known_hosts') }],
        replaceable: true,
      },
    ]);
    await isGone(transport);
    expect(readFileSync(join(home, '.ssh', 'known_hosts'), 'utf8')).toBe(known);
    await isGone(must(await open(host, { credentials })));
  });

  it('a revoked key, a strict configuration and accept-new', async () => {
    const credentials = new Credentials();
    const lines = server.knownHostsLines('@revoked *');
    const revoked = await resolve(address(), [], lines);
    credentials.keepPassword(revoked, user.password);
    expect(await open(revoked, { credentials })).toMatchObject({
      error: { code: 'host-key-revoked' },
    });
    const strict = await resolve(address(), ['StrictHostKeyChecking yes'], '');
    expect(await open(strict, { credentials })).toMatchObject({
      error: { code: 'host-key-unknown' },
    });
    const accepting = await resolve(address(), ['StrictHostKeyChecking accept-new'], '');
    await isGone(must(await open(accepting, { credentials })));
    expect(readFileSync(ownKnownHosts(), 'utf8')).toContain(
      `[127.0.0.1]:${server.port} ssh-ed25519`,
    );
  });

  it('streams both ways, many at once, until the host allows no more', async () => {
    const limited = await startSshHost({ config: ['MaxSessions 3'] });
    try {
      const host = await resolve(
        `ssh -p ${limited.port} ${user.name}@127.0.0.1`,
        [],
        limited.knownHostsLines(),
      );
      const credentials = new Credentials();
      credentials.keepPassword(host, user.password);
      const transport = must(await open(host, { credentials }));
      const sent = randomBytes(8 * 1024 ** 2);
      const channels = [];
      for (let index = 0; index < 3; index += 1) channels.push(must(await transport.exec('cat')));
      expect(await transport.exec('true')).toMatchObject({ error: { code: 'no-more-channels' } });
      const echoes = channels.map(async (channel) => {
        channel.stdin.end(sent);
        const parts: Buffer[] = [];
        for await (const part of channel.stdout) parts.push(part as Buffer);
        expect(await channel.exit).toEqual({ code: 0 });
        return Buffer.concat(parts).equals(sent);
      });
      expect(await Promise.all(echoes)).toEqual([true, true, true]);
      expect(await run(transport, 'echo again')).toMatchObject({ stdout: 'again\n' });
      expect(await run(transport, 'exit 255')).toMatchObject({ code: 255 });
      expect(await run(transport, 'kill -KILL $$')).toMatchObject({ code: null });
      const endless = must(await transport.exec('yes'));
      endless.close();
      expect((await text(endless.stdout)).length).toBeGreaterThanOrEqual(0);
      expect(await endless.exit).toEqual({ code: null });
      await isGone(transport);
      expect(await transport.exec('true')).toMatchObject({ error: { code: 'link-lost' } });
    } finally {
      await limited.stop();
    }
  });

  it('a killed link ends everything at once', async () => {
    const transport = await connected();
    const channel = must(await transport.exec('echo begun; sleep 100'));
    await new Promise((resolve) => channel.stdout.once('data', resolve));
    const reading = text(channel.stdout);
    server.signalConnections('SIGKILL');
    expect(await transport.ended).toMatchObject({ wanted: false });
    expect(await reading).toBe('');
    expect(await channel.exit).toEqual({ code: null });
    await expect.poll(() => readdirSync(runtime)).toEqual([]);
  });

  it('a frozen link ends after three signs of life that did not come', async () => {
    const transport = await connected(1000);
    const channel = must(await transport.exec('sleep 100'));
    server.signalConnections('SIGSTOP');
    try {
      const end = await transport.ended;
      expect(end).toMatchObject({ wanted: false, why: expect.stringContaining('does not answer') });
      expect(await channel.exit).toEqual({ code: null });
    } finally {
      server.signalConnections('SIGKILL');
      server.signalConnections('SIGCONT');
    }
  });

  it('can be cancelled while it asks, which withdraws the question', async () => {
    const abort = new AbortController();
    let withdrawn = false;
    const host = await resolve(address());
    const opening = open(host, {
      signal: abort.signal,
      ask: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ kind: 'cancel' });
          });
          void setTimeout(100).then(() => abort.abort());
        }),
    });
    expect(await opening).toMatchObject({ error: { code: 'cancelled' } });
    expect(withdrawn).toBe(true);
    expect(readdirSync(runtime)).toEqual([]);
  });

  it('keeps a password out of command lines, environments and files', async () => {
    const seen: string[] = [];
    const host = await resolve(address());
    const person = personSaying('wrong-canary', user.password);
    const look = () => seen.push(...findings([user.password, 'wrong-canary'], [runtime, home]));
    const looks: Promise<unknown>[] = [];
    const transport = must(
      await open(host, {
        ask: async (question, signal) => {
          look();
          const answer = await person.ask(question, signal);
          for (let turn = 0; turn < 10; turn++) looks.push(setTimeout(turn * 15).then(look));
          return answer;
        },
      }),
    );
    await Promise.all(looks);
    look();
    expect(seen).toEqual([]);
    // The look finds what is there.
    process.env.STALLTRACE_CANARY = 'x';
    expect(findings([user.name], [home])).not.toEqual([]);
    await isGone(transport);
  });

  it('says what is the matter with an address', async () => {
    const port = await freePort();
    const refused = await open(await resolve(`ssh -p ${port} me@127.0.0.1`));
    expect(refused).toMatchObject({ error: { code: 'connection-refused' } });
    const unknown = await open(await resolve('me@nowhere.invalid'));
    expect(unknown).toMatchObject({ error: { code: 'host-not-found' } });
    const bad = await resolve(address(), ['Nonsense yes']);
    expect(await open(bad)).toMatchObject({ error: { code: 'config-unreadable' } });
  });

  it('where a connection can’t be shared, as on Windows, each command has its own', async () => {
    const key = createSshKey(join(home, 'key'));
    user.authorise(key.publicKey);
    const host = await resolve(`${address()} -i ${key.file}`);
    const programs = join(home, 'programs');
    mkdirSync(programs);
    symlinkSync('/usr/bin/ssh', join(programs, 'ssh.exe'));
    const transport = must(
      await openSystemSsh(host, {
        environment: {
          ...environment(),
          platform: 'win32',
          env: { ...process.env, PATH: programs },
        },
        trust: openHostTrust(ownKnownHosts()),
        ownKnownHosts: ownKnownHosts(),
        credentials: new Credentials(),
        signal: new AbortController().signal,
      }),
    );
    expect(transport.facts.signedInWith).toBe(`publickey (${key.file})`);
    const [one, two] = await Promise.all([run(transport, 'id -un'), run(transport, 'cat', 'hi')]);
    expect([one.stdout, two.stdout]).toEqual([`${user.name}\n`, 'hi']);
    expect(await run(transport, 'exit 255')).toMatchObject({ code: 255 });
    user.authorise('');
    expect(await transport.exec('true')).toMatchObject({ error: { code: 'link-lost' } });
    expect(await transport.ended).toMatchObject({ wanted: false });
  });

  it('gives ssh no name that a shell would read, and needs an ssh', async () => {
    const host = await resolve(address());
    for (const name of ['a;b', 'a`b`', '$(x)', 'a b', '-oProxyCommand=x', 'a*']) {
      expect(await open({ ...host, name })).toMatchObject({ error: { code: 'bad-target' } });
    }
    expect(await open({ ...host, user: '-x' })).toMatchObject({ error: { code: 'bad-target' } });
    expect(await open({ ...host, user: "a'b" })).toMatchObject({ error: { code: 'bad-target' } });
    const nothing = await openSystemSsh(host, {
      environment: { ...environment(), platform: 'win32', env: { PATH: '/nowhere' } },
      trust: openHostTrust(ownKnownHosts()),
      ownKnownHosts: ownKnownHosts(),
      credentials: new Credentials(),
      signal: new AbortController().signal,
    });
    expect(nothing).toMatchObject({ error: { code: 'no-system-ssh' } });
    const declined = await open({ ...host, matchExecDeclined: true });
    expect(declined).toMatchObject({ error: { code: 'config-unreadable' } });
  });
});

/** Where any of `words` stands: in a process's arguments or environment, or in a file below `folders`. */
function findings(words: readonly string[], folders: readonly string[]): string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  const files = folders.flatMap((folder) =>
    execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n'),
  );
  return [...processes, ...files].filter((file) => {
    try {
      const content = readFileSync(file, 'utf8');
      return words.some((word) => content.includes(word));
    } catch {
      return false;
    }
  });
}
