import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostNameForKnownHosts } from '../../src-main/remote/config/host-from-options.ts';
import type { ResolvedHost } from '../../src-main/remote/config/resolved-host.ts';
import { openHostTrust } from '../../src-main/remote/trust/open-host-trust.ts';
import {
  createSshKey,
  type KeyType,
  type SshKey,
  startSshHost,
} from '../support/remote/ssh-host.ts';
import { describeWith } from '../support/requirements.ts';

let folder = '';
const keys = new Map<string, SshKey>();
let usersFile = '';
let ownFile = '';

function key(name: string): SshKey {
  const made = keys.get(name);
  if (made === undefined) throw new Error(name);
  return made;
}

function blob(name: string): Buffer {
  return Buffer.from(key(name).publicKey.split(' ')[1] ?? '', 'base64');
}

function host(
  hostName: string,
  port = 22,
  more: Partial<ResolvedHost> & { alias?: string } = {},
): ResolvedHost {
  const { alias, ...rest } = more;
  return {
    name: hostName,
    target: { name: hostName },
    hostName,
    port,
    user: 'root',
    keyName: hostNameForKnownHosts(hostName, port, alias),
    identityFiles: [],
    identitiesOnly: false,
    jumps: [],
    strictHostKeyChecking: 'ask',
    knownHostsFiles: [usersFile],
    connectTimeoutMs: 5000,
    ...rest,
  };
}

async function kindOf(hostOf: ResolvedHost, name: string): Promise<string> {
  return (await openHostTrust(ownFile).judge(hostOf, blob(name))).kind;
}

/** Fingerprints of the keys that ssh reads there: ssh-keygen prints a key of another type than it says, too. */
function keysIn(lines: string): string[] {
  return [...lines.matchAll(/(\S+) (AAAA[A-Za-z0-9+/=]+)/g)]
    .filter(([, type = '', base64 = '']) => {
      const bytes = Buffer.from(base64, 'base64');
      return bytes.length > 4 && bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString() === type;
    })
    .map(([, , base64 = '']) => fingerprint(base64));
}

describeWith(['sshServer'], 'known_hosts', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-known-'));
    for (const type of ['ed25519', 'rsa', 'ecdsa'] as const satisfies KeyType[]) {
      for (const which of ['a', 'b']) {
        keys.set(`${type}-${which}`, createSshKey(join(folder, `${type}-${which}`), { type }));
      }
    }
  });
  beforeEach(() => {
    usersFile = join(folder, 'users_known_hosts');
    ownFile = join(folder, 'own', 'known_hosts');
    rmSync(join(folder, 'own'), { recursive: true, force: true });
    writeFileSync(usersFile, '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('fingerprints', () => {
    it.each(['ed25519-a', 'rsa-a', 'ecdsa-a'])(
      'of %s are those of ssh-keygen -lf',
      async (name) => {
        const verdict = await openHostTrust(ownFile).judge(host('gpu'), blob(name));
        expect(verdict).toMatchObject({
          kind: 'unknown',
          key: { fingerprint: key(name).fingerprint, type: key(name).publicKey.split(' ')[0] },
        });
      },
    );
  });

  describe('a host is found as ssh-keygen -F finds it', () => {
    const label = fc.constantFrom('gpu', 'gpu1', 'gpu.example.com', '10.0.0.1', '2001:db8::1', 'a');
    const port = fc.constantFrom(22, 2222, 22_022);
    const names = fc
      .array(
        fc.oneof(
          fc.tuple(label, port).map(([name, at]) => hostNameForKnownHosts(name, at, undefined)),
          fc.constantFrom(
            '*.example.com',
            'gpu*',
            '!gpu1',
            '10.0.0.?',
            '[gpu]:*',
            '*',
            '!*.com',
            'GPU',
          ),
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((list) => list.join(','));
    const keyName = fc.constantFrom('ed25519-a', 'ed25519-b', 'rsa-a', 'ecdsa-a');
    const broken = fc.constantFrom(
      '# a comment',
      '',
      '   ',
      'gpu',
      'gpu ssh-ed25519',
      'gpu ssh-ed25519 !!!notbase64',
      'gpu ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA==',
      '@unknown gpu ssh-ed25519 AAAA',
      '|1|broken|hash ssh-ed25519 AAAA',
      '\u0000\u0001\u0002',
    );
    const file = fc.array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .tuple(
              names,
              keyName,
              fc.constantFrom(' ', '\t', '  '),
              fc.constantFrom('', ' me@there', '\r'),
            )
            .map(([list, which, gap, end]) => `${list}${gap}${key(which).publicKey}${end}`),
        },
        { weight: 1, arbitrary: broken },
      ),
      { maxLength: 8 },
    );

    it('in files of plain names, patterns and broken lines, and hashed by ssh-keygen -H', async () => {
      await fc.assert(
        fc.asyncProperty(file, label, port, fc.boolean(), async (lines, name, at, hash) => {
          writeFileSync(usersFile, `${lines.join('\n')}\n`);
          if (hash) spawnSync('ssh-keygen', ['-q', '-H', '-f', usersFile]);
          const lookup = hostNameForKnownHosts(name, at, undefined);
          const found = spawnSync('ssh-keygen', ['-F', lookup, '-f', usersFile], {
            encoding: 'utf8',
          });
          const expected = keysIn(found.stdout);
          // ssh looks for the name without its port too, where that with it is not found.
          const bare =
            expected.length > 0 || at === 22
              ? []
              : keysIn(
                  spawnSync('ssh-keygen', ['-F', name, '-f', usersFile], { encoding: 'utf8' })
                    .stdout,
                );
          const known = new Set([...expected, ...bare]);
          for (const which of ['ed25519-a', 'ed25519-b', 'rsa-a', 'ecdsa-a', 'rsa-b']) {
            const { kind } = await openHostTrust(ownFile).judge(host(name, at), blob(which));
            const mine = known.has(key(which).fingerprint);
            expect([which, kind]).toEqual([
              which,
              mine ? 'known' : expected.length > 0 ? 'changed' : 'unknown',
            ]);
          }
        }),
        { numRuns: 150 },
      );
    });
  });

  describe('markers', () => {
    it('a revoked key is refused, whatever else is written', async () => {
      writeFileSync(
        usersFile,
        `gpu ${key('ed25519-a').publicKey}\n@revoked * ${key('ed25519-a').publicKey}\n`,
      );
      const verdict = await openHostTrust(ownFile).judge(host('gpu', 2222), blob('ed25519-a'));
      expect(verdict).toMatchObject({ kind: 'revoked', record: { file: usersFile, line: 2 } });
      expect(await kindOf(host('gpu'), 'ed25519-b')).toBe('changed');
      expect(await kindOf(host('other'), 'ed25519-b')).toBe('unknown');
    });

    it('where only an authority is known, the system’s ssh has to check the certificate', async () => {
      writeFileSync(usersFile, `@cert-authority *.example.com ${key('rsa-a').publicKey}\n`);
      const verdict = await openHostTrust(ownFile).judge(host('a.example.com'), blob('ed25519-a'));
      expect(verdict).toMatchObject({ kind: 'ca', record: { line: 1, type: 'ssh-rsa' } });
      // The authority's own key is no host key.
      expect(await kindOf(host('a.example.com'), 'rsa-a')).toBe('ca');
      expect(await openHostTrust(ownFile).keyTypes(host('a.example.com'))).toEqual([]);
    });
  });

  describe('names', () => {
    it('an alias is taken without the port', async () => {
      writeFileSync(usersFile, `pod-1 ${key('ed25519-a').publicKey}\n`);
      expect(await kindOf(host('203.0.113.7', 40_123, { alias: 'pod-1' }), 'ed25519-a')).toBe(
        'known',
      );
      expect(await kindOf(host('203.0.113.7', 40_123), 'ed25519-a')).toBe('unknown');
    });

    it('another port of a known host is new, not changed; the same key there is known', async () => {
      writeFileSync(usersFile, `gpu ${key('ed25519-a').publicKey}\n`);
      expect(await kindOf(host('gpu', 2222), 'ed25519-b')).toBe('unknown');
      expect(await kindOf(host('gpu', 2222), 'ed25519-a')).toBe('known');
    });

    it('tells where else a key is known', async () => {
      writeFileSync(usersFile, `old,10.0.0.1 ${key('ed25519-a').publicKey}\n`);
      const verdict = await openHostTrust(ownFile).judge(host('new'), blob('ed25519-a'));
      expect(verdict).toMatchObject({ alsoKnownAs: ['old,10.0.0.1'] });
    });
  });

  describe('what the app remembers', () => {
    it('stands in a file of its own that only the user may read; theirs is not touched', async () => {
      const before = `gpu ${key('rsa-a').publicKey}`;
      writeFileSync(usersFile, before);
      chmodSync(usersFile, 0o444);
      const trust = openHostTrust(ownFile);
      for (const name of ['one', 'two']) {
        const done = await trust.remember(host(name, 2222), blob('ed25519-a'), { replace: false });
        expect(done.ok).toBe(true);
      }
      expect(readFileSync(usersFile, 'utf8')).toBe(before);
      expect(statSync(ownFile).mode & 0o777).toBe(0o600);
      expect(await kindOf(host('one', 2222), 'ed25519-a')).toBe('known');
      const found = execFileSync('ssh-keygen', ['-F', '[two]:2222', '-f', ownFile], {
        encoding: 'utf8',
      });
      expect(found).toContain(key('ed25519-a').publicKey);
      chmodSync(usersFile, 0o644);
    });

    it('is appended after a line that was cut off', async () => {
      await openHostTrust(ownFile).remember(host('one'), blob('rsa-a'), { replace: false });
      appendFileSync(ownFile, 'cut ssh-ed');
      await openHostTrust(ownFile).remember(host('two'), blob('rsa-a'), { replace: false });
      expect(await kindOf(host('two'), 'rsa-a')).toBe('known');
    });

    it('replaces a key of the user’s file for this host only, and not one that comes later', async () => {
      const users = `gpu ${key('ed25519-a').publicKey}\nother ${key('ed25519-a').publicKey}\n`;
      writeFileSync(usersFile, users);
      const trust = openHostTrust(ownFile);
      const changed = await trust.judge(host('gpu'), blob('ed25519-b'));
      expect(changed).toMatchObject({
        kind: 'changed',
        replaceable: true,
        known: [{ fingerprint: key('ed25519-a').fingerprint, file: usersFile, line: 1 }],
      });
      await trust.remember(host('gpu'), blob('ed25519-b'), { replace: true });
      expect(await kindOf(host('gpu'), 'ed25519-b')).toBe('known');
      // The old one is now the changed one.
      expect(await kindOf(host('gpu'), 'ed25519-a')).toBe('changed');
      expect(await kindOf(host('other'), 'ed25519-a')).toBe('known');
      expect(readFileSync(usersFile, 'utf8')).toBe(users);
      // The user has trusted a third one meanwhile, in a terminal.
      appendFileSync(usersFile, `gpu ${key('rsa-b').publicKey}\n`);
      expect(await kindOf(host('gpu'), 'rsa-b')).toBe('known');
    });

    it('replaces again and again, and may come back to the first key', async () => {
      writeFileSync(usersFile, `gpu ${key('ed25519-a').publicKey}\n`);
      const trust = openHostTrust(ownFile);
      for (const name of ['ed25519-b', 'rsa-a', 'ed25519-a']) {
        await trust.remember(host('gpu'), blob(name), { replace: true });
        for (const other of ['ed25519-a', 'ed25519-b', 'rsa-a']) {
          expect([name, other, await kindOf(host('gpu'), other)]).toEqual([
            name,
            other,
            other === name ? 'known' : 'changed',
          ]);
        }
      }
      expect(readFileSync(ownFile, 'utf8').trim().split('\n')).toHaveLength(1);
      expect(readdirSync(join(folder, 'own'))).toEqual(['known_hosts']);
    });

    it('writes a name that means something in these files hashed', async () => {
      const trust = openHostTrust(ownFile);
      for (const name of ['*', 'a,b', '@revoked', '#x', '|1|x', '!gpu']) {
        await trust.remember(host(name), blob('ed25519-a'), { replace: false });
        expect([name, await kindOf(host(name), 'ed25519-a')]).toEqual([name, 'known']);
      }
      expect(await kindOf(host('gpu'), 'ed25519-a')).toBe('unknown');
    });

    it('says so where it can’t be written', async () => {
      writeFileSync(join(folder, 'own'), 'a file where the folder should be');
      const done = await openHostTrust(ownFile).remember(host('a'), blob('rsa-a'), {
        replace: false,
      });
      expect(done).toMatchObject({ ok: false, error: { code: 'state-unwritable' } });
      rmSync(join(folder, 'own'));
    });

    it('who says StrictHostKeyChecking yes replaces by hand', async () => {
      writeFileSync(usersFile, `gpu ${key('ed25519-a').publicKey}\n`);
      const strict = host('gpu', 22, { strictHostKeyChecking: 'yes' });
      expect(await openHostTrust(ownFile).judge(strict, blob('rsa-a'))).toMatchObject({
        kind: 'changed',
        replaceable: false,
      });
    });
  });

  it('a host known by its RSA key is asked for that type first, whatever it offers', async () => {
    const server = await startSshHost();
    try {
      const rsa = server.hostKeys.get('rsa');
      writeFileSync(usersFile, `[127.0.0.1]:${server.port} ${rsa?.publicKey}\n`);
      const types = await openHostTrust(ownFile).keyTypes(host('127.0.0.1', server.port));
      expect(types).toEqual(['ssh-rsa']);
      appendFileSync(usersFile, server.knownHostsLines());
      expect(await openHostTrust(ownFile).keyTypes(host('127.0.0.1', server.port))).toEqual([
        'ssh-ed25519',
        'ecdsa-sha2-nistp256',
        'ssh-rsa',
      ]);
    } finally {
      await server.stop();
    }
  });

  it('survives anything that could stand in such a file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        writeFileSync(usersFile, bytes);
        expect(await kindOf(host('gpu', 2222), 'rsa-a')).toBe('unknown');
        expect(await openHostTrust(ownFile).keyTypes(host('gpu'))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    writeFileSync(usersFile, `${'gpu,'.repeat(100_000)} ${key('rsa-a').publicKey}\n`);
    expect(await kindOf(host('gpu'), 'rsa-a')).toBe('unknown');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero', '/', '/proc/self/mem', '/nowhere']) {
      const odd = host('gpu', 22, { knownHostsFiles: [path] });
      expect(await kindOf(odd, 'rsa-a')).toBe('unknown');
    }
  });
});

function fingerprint(base64: string): string {
  const digest = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}
