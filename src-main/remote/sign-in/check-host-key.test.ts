import { expect, it } from 'vitest';
import { testHost } from '../transport/testing/test-host.ts';
import type { HostKeyVerdict, HostTrust } from '../trust/host-trust.ts';
import { checkHostKey } from './check-host-key.ts';
import { Credentials } from './credentials.ts';

const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:new' };
const old = { type: 'ssh-ed25519', fingerprint: 'SHA256:old', line: 1 };

function trustSaying(verdict: HostKeyVerdict): HostTrust {
  return {
    keyTypes: async () => [],
    judge: async () => verdict,
    remember: async () => {
      throw new Error('nothing is to be written');
    },
  };
}

it('never takes a changed key that may not be replaced, and says how to remove the old ones', async () => {
  const files = ['/home/me/.ssh/known_hosts', "/a b/it's"];
  const known = files.map((file) => ({ ...old, file }));
  const trust = trustSaying({ kind: 'changed', key, known, replaceable: false });
  const host = testHost('gpu', { port: 2222, keyName: '[gpu]:2222' });
  const credentials = new Credentials();
  credentials.trustOnce(host, Buffer.from('key'));
  const ask = async () => ({ kind: 'replace' }) as const;
  expect(await checkHostKey(host, Buffer.from('key'), { trust, credentials, ask })).toMatchObject({
    error: {
      code: 'host-key-changed',
      message: expect.stringContaining(
        `(ssh-keygen -R '[gpu]:2222' -f '/home/me/.ssh/known_hosts'; ssh-keygen -R '[gpu]:2222' -f '/a b/it'\\''s')`,
      ),
    },
  });
});

it('asks for an unknown key where nothing is checked strictly, and takes none where nobody is there', async () => {
  const trust = trustSaying({ kind: 'unknown', key, alsoKnownAs: [] });
  const host = testHost('gpu', { strictHostKeyChecking: 'no' });
  const credentials = new Credentials();
  const check = { trust, credentials, ask: undefined };
  expect(await checkHostKey(host, Buffer.from('key'), check)).toMatchObject({
    error: { code: 'host-key-unknown' },
  });
  const ask = async () => ({ kind: 'trust', once: true }) as const;
  expect((await checkHostKey(host, Buffer.from('key'), { ...check, ask })).ok).toBe(true);
  expect((await checkHostKey(host, Buffer.from('key'), check)).ok).toBe(true);
  expect((await checkHostKey(testHost('other'), Buffer.from('key'), check)).ok).toBe(false);
});
