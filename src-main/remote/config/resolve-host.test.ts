import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import { type ConfigEnvironment, configEnvironment } from './config-environment.ts';
import { readHostList } from './read-host-list.ts';
import { resolveHost } from './resolve-host.ts';
import type { ResolveOptions } from './resolve-options.ts';
import type { ResolvedHost } from './resolved-host.ts';

let home = '';
let environment: ConfigEnvironment;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'stalltrace-config-'));
  environment = {
    ...configEnvironment(),
    systemConfigFile: join(home, 'etc', 'ssh_config'),
    homeFolder: home,
    userName: 'me',
    localHostName: 'desk.example.com',
    env: { KEYS: '/keys', SSH_AUTH_SOCK: '/run/agent', PATH: process.env.PATH },
    platform: 'linux',
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string | Uint8Array): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function config(...lines: readonly string[]): void {
  write('.ssh/config', lines.join('\n'));
}

function resolve(target: HostTarget | string, allow?: ResolveOptions['allowMatchExec']) {
  return resolveHost(typeof target === 'string' ? { name: target } : target, {
    environment,
    signal: new AbortController().signal,
    ...(allow === undefined ? {} : { allowMatchExec: allow }),
  });
}

async function resolved(
  target: HostTarget | string,
  allow?: ResolveOptions['allowMatchExec'],
): Promise<ResolvedHost> {
  const result = await resolve(target, allow);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

describe('what the configuration says of a host', () => {
  it('nothing: the name itself, the user of this machine, the keys that are there', async () => {
    const key = write('.ssh/id_ed25519', 'x');
    expect(await resolved('GPU.example.com')).toEqual({
      name: 'GPU.example.com',
      target: { name: 'GPU.example.com' },
      hostName: 'gpu.example.com',
      port: 22,
      user: 'me',
      keyName: 'gpu.example.com',
      identityFiles: [key],
      identitiesOnly: false,
      agentSocket: '/run/agent',
      jumps: [],
      strictHostKeyChecking: 'ask',
      knownHostsFiles: [
        join(home, '.ssh/known_hosts'),
        join(home, '.ssh/known_hosts2'),
        '/etc/ssh/ssh_known_hosts',
        '/etc/ssh/ssh_known_hosts2',
      ],
      connectTimeoutMs: 20_000,
    });
  });

  it('with tokens, variables, quotes and the home expanded', async () => {
    config(
      'Host gpu',
      'HostName %h.example.com',
      'User=root',
      'Port = 2222',
      'IdentityFile "~/my keys/%r@%h-%p-%n-%u-%L"',
      `IdentityFile \${KEYS}/%%`,
      'IdentityFile relative',
      'UserKnownHostsFile ~/a %d/b',
      'GlobalKnownHostsFile none',
      'ConnectTimeout 1m30s',
      'ServerAliveInterval 2',
      'PreferredAuthentications publickey,password',
      'PasswordAuthentication no',
      'HostKeyAlias Pod-1',
      'StrictHostKeyChecking accept-new',
      'IdentitiesOnly yes',
    );
    expect(await resolved('gpu')).toMatchObject({
      hostName: 'gpu.example.com',
      user: 'root',
      port: 2222,
      keyName: 'pod-1',
      identityFiles: [
        join(home, 'my keys/root@gpu.example.com-2222-gpu-me-desk'),
        '/keys/%',
        join(home, 'relative'),
      ],
      knownHostsFiles: [join(home, 'a'), join(home, 'b')],
      connectTimeoutMs: 90_000,
      keepAliveMs: 2000,
      preferredAuthentications: ['publickey'],
      strictHostKeyChecking: 'accept-new',
      identitiesOnly: true,
    });
  });

  it.each([
    ['0', undefined],
    ['60', 5000],
    ['soon', undefined],
  ])('ServerAliveInterval %s, and never none or longer than ours', async (said, intervalMs) => {
    config(`ServerAliveInterval ${said}`);
    expect((await resolved('gpu')).keepAliveMs).toBe(intervalMs);
  });

  it.each([
    ['none', undefined],
    ['SSH_AUTH_SOCK', '/run/agent'],
    ['~/agent.sock', 'HOME/agent.sock'],
    ['$KEYS', '/keys'],
    ['$NOTHING', undefined],
    [`"\${KEYS}/%r"`, '/keys/me'],
  ])('IdentityAgent %s', async (said, socket) => {
    config(`IdentityAgent ${said}`);
    expect((await resolved('gpu')).agentSocket).toBe(socket?.replace('HOME', home));
  });

  it('what the user says comes first', async () => {
    config('Host *', 'User root', 'Port 1', 'IdentityFile ~/k', 'ProxyJump bastion');
    const target = { name: 'gpu', user: 'u', port: 2, identityFiles: ['~/mine'], jumps: [] };
    expect(await resolved(target)).toMatchObject({
      user: 'u',
      port: 2,
      identityFiles: [join(home, 'mine'), join(home, 'k')],
      jumps: [],
    });
  });

  it.each([
    ['ProxyCommand nc %h %p', 'ProxyCommand'],
    ['CertificateFile ~/c', 'CertificateFile'],
    ['IdentityFile ~/sk', 'security key'],
    ['IdentityFile ~/certified', 'certificate'],
    ['PreferredAuthentications gssapi-with-mic', 'allows only gssapi-with-mic'],
    ['PKCS11Provider /lib/x.so', 'smart card'],
    ['CanonicalizeHostname yes', 'CanonicalizeHostname'],
    ['RevokedHostKeys /x', 'revoked'],
    ['ProxyCommand none', undefined],
    ['CertificateFile none', undefined],
  ])('%s is for the system’s ssh: %s', async (line, why) => {
    write('sk.pub', 'sk-ssh-ed25519@openssh.com AAAA\n');
    write('certified-cert.pub', 'x');
    config(line);
    const { needsSystemSsh } = await resolved('gpu');
    if (why === undefined) expect(needsSystemSsh).toBeUndefined();
    else expect(needsSystemSsh).toMatch(new RegExp(`^The SSH configuration of gpu .*${why}.*\\.$`));
  });
});

describe('hops', () => {
  it('each by its own entry; the first one’s own hop counts too', async () => {
    config(
      'Host gpu',
      'ProxyJump a,u@b:2200',
      'Host a',
      'HostName a.example.com',
      'ProxyJump outer',
      'Host b',
      'User never',
      'IdentityFile ~/b',
      'ProxyJump ignored-for-b',
    );
    const { jumps } = await resolved('gpu');
    expect(jumps.map(({ user, hostName, port }) => `${user}@${hostName}:${port}`)).toEqual([
      'me@outer:22',
      'me@a.example.com:22',
      'u@b:2200',
    ]);
    expect(jumps.at(-1)?.identityFiles).toEqual([join(home, 'b')]);
    expect(jumps.every((hop) => hop.jumps.length === 0)).toBe(true);
  });

  it.each([
    [['Host *', 'ProxyJump bastion']],
    [['Host gpu', 'ProxyJump a', 'Host a', 'ProxyJump b', 'Host b', 'ProxyJump gpu']],
  ])('in a circle are refused', async (lines) => {
    config(...lines);
    expect(await resolve('gpu')).toMatchObject({
      error: { code: 'config-unreadable', message: expect.stringContaining('circle') },
    });
  });

  it('that can’t be read are refused', async () => {
    config('Host gpu', 'ProxyJump a,,b');
    expect(await resolve('gpu')).toMatchObject({
      error: { message: expect.stringContaining('jump hosts of gpu') },
    });
  });
});

describe('Match exec', () => {
  it('runs nothing that was not allowed, and asks once, about all there could be', async () => {
    const ran = join(home, 'ran');
    config(
      `Match host gpu exec "echo %h >> ${ran}"`,
      'User first',
      `Match user first exec "echo %r >> ${ran}; false"`,
      'Port 1',
      'Match exec "exit 0" host nothing',
      'Port 2',
      'Match host other exec "touch /never"',
      'Port 3',
    );
    expect((await resolved('gpu')).user).toBe('me');
    const asked: (readonly string[])[] = [];
    const answering = (answer: boolean) => async (commands: readonly string[]) => {
      asked.push(commands);
      return answer;
    };
    expect(await resolved('gpu', answering(false))).toMatchObject({
      user: 'me',
      matchExecDeclined: true,
    });
    expect(existsSync(ran)).toBe(false);
    expect(await resolved('gpu', answering(true))).toMatchObject({ user: 'first', port: 22 });
    expect(execFileSync('cat', [ran], { encoding: 'utf8' })).toBe('gpu\nfirst\n');
    const commands = [`echo %h >> ${ran}`, 'exit 0', `echo %r >> ${ran}; false`];
    expect(asked.map((list) => [...list].sort())).toEqual([
      [...commands].sort(),
      [...commands].sort(),
    ]);
  });

  it('is not run where a pasted name would be part of a command', async () => {
    const ran = join(home, 'ran');
    config(`Match exec "true %h %n %r %j"`, 'Port 3');
    const allow = async () => true;
    expect((await resolved({ name: 'gpu', user: 'me', jumps: ['a@b:3'] }, allow)).port).toBe(3);
    const touch = `$(touch\${IFS}${ran})`;
    for (const target of [
      { name: touch },
      { name: 'gpu', user: touch },
      { name: 'gpu', user: `;touch\t${ran}` },
      { name: 'gpu', jumps: [`${touch}@b`] },
    ]) {
      expect((await resolved(target, allow)).port).toBe(22);
    }
    expect(existsSync(ran)).toBe(false);
  });

  it('is not asked about for other hosts, and can be cancelled', async () => {
    config('Match host gpu exec "true"', 'User first');
    let asked = 0;
    const count = async () => {
      asked += 1;
      return 'cancelled' as const;
    };
    expect((await resolved('other', count)).user).toBe('me');
    expect(asked).toBe(0);
    expect(await resolve('gpu', count)).toMatchObject({ error: { code: 'cancelled' } });
    expect(asked).toBe(1);
  });
});

describe('files', () => {
  it('that are included: globs, nested, relative to ~/.ssh, only within their Host', async () => {
    config('Include conf.d/*.conf', 'Host gpu', 'Include only-gpu', 'Host *', 'User last');
    write('.ssh/conf.d/10.conf', 'Host ten\nInclude deeper\n');
    write('.ssh/conf.d/.hidden.conf', 'User hidden\n');
    write('.ssh/deeper', 'HostName deep.example.com\n');
    write('.ssh/only-gpu', 'Port 2222\n');
    write('etc/ssh_config', 'Host *\nUser machine\nPort 77\n');
    expect(await resolved('ten')).toMatchObject({
      hostName: 'deep.example.com',
      port: 77,
      user: 'last',
    });
    expect(await resolved('gpu')).toMatchObject({ hostName: 'gpu', port: 2222 });
    expect(readHostList(environment)).toMatchObject({
      hosts: [
        { id: 'config:ten', address: 'last@deep.example.com:77', from: 'ssh-config' },
        { id: 'config:gpu', address: 'last@gpu:2222' },
      ],
      problems: [],
      configFile: join(home, '.ssh/config'),
    });
  });

  it('that include one another in a circle, or too deep, are named', () => {
    config('Include a', 'Host gpu');
    write('.ssh/a', 'Include config');
    expect(readHostList(environment)).toMatchObject({
      hosts: [{ label: 'gpu' }],
      problems: [expect.stringContaining('in a circle')],
    });
    for (let index = 0; index < 20; index += 1)
      write(`.ssh/d${index}`, `Include d${index + 1}\nHost h${index}\n`);
    config('Include d0');
    const list = readHostList(environment);
    expect(list.hosts.map(({ label }) => label)).toContain('h15');
    expect(list.hosts.map(({ label }) => label)).not.toContain('h17');
    expect(list.problems).toEqual([expect.stringContaining('more than 16 deep')]);
  });

  it('that many others include many times end', () => {
    for (let index = 0; index < 12; index += 1) {
      write(`.ssh/w${index}`, `Include w${index + 1}\n`.repeat(10));
    }
    config('Include w0');
    expect(readHostList(environment).problems).toEqual([
      expect.stringContaining('more than 512 files'),
    ]);
  });

  it('with a byte-order mark, Windows’ line ends, and odd case', async () => {
    write('.ssh/config', '\uFEFFhost GPU\r\n\tHOSTNAME gpu.example.com\r\n\tuser root\r\n');
    expect(await resolved('GPU')).toMatchObject({ hostName: 'gpu.example.com', user: 'root' });
  });

  it('that others may write, or that can’t be read, are refused with a sentence', async () => {
    config('Host gpu');
    chmodSync(join(home, '.ssh/config'), 0o666);
    expect(await resolve('gpu')).toMatchObject({
      error: { code: 'config-unreadable', message: expect.stringContaining('chmod 600') },
    });
    rmSync(join(home, '.ssh/config'));
    mkdirSync(join(home, '.ssh/config'));
    expect(await resolve('gpu')).toMatchObject({ error: { code: 'config-unreadable' } });
    expect(readHostList(environment).problems).toHaveLength(1);
    rmSync(join(home, '.ssh'), { recursive: true });
    mkdirSync(join(home, '.ssh'));
    execFileSync('mkfifo', [join(home, '.ssh/config')]);
    expect(await resolve('gpu')).toMatchObject({ error: { code: 'config-unreadable' } });
  });

  it('that have a zero byte in their name are none', async () => {
    config('Include a\0b', 'IdentityFile a\0b', 'UserKnownHostsFile a\0b', 'Port 3');
    expect((await resolved('gpu')).port).toBe(3);
  });

  it('of anything at all are survived', async () => {
    const pieces = fc.constantFrom(
      'Host ',
      'Match ',
      'exec ',
      '"',
      "'",
      '\\',
      '\n',
      '=',
      ' ',
      '!',
      '*',
      '%',
      '${',
      ',',
      '#',
      'Include ',
      'config',
      '~',
      'ProxyJump ',
      'all',
      'final',
      '\0',
      '[',
      ']',
      '@',
      ':',
      'IdentityFile ',
      'HostName ',
      'Port ',
      '\u202e',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.array(pieces, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(''))),
        ),
        async (bytes) => {
          write('.ssh/config', bytes);
          await resolve('gpu');
          for (const problem of readHostList(environment).problems) {
            expect(problem).not.toMatch(/\p{Cc}|\u202e/u);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
