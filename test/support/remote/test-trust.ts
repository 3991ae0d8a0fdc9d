import { createHash } from 'node:crypto';
import type { ResolvedHost } from '../../../src-main/remote/config/resolved-host.ts';
import type { HostKeyVerdict, HostTrust } from '../../../src-main/remote/trust/host-trust.ts';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import type { SshHost } from './ssh-host.ts';

/** Trust that is held in memory, to put a connection into every situation; the files have their own tests. */
export interface TestTrust extends HostTrust {
  /** `address:port` → base64 of the keys that are known. */
  readonly known: Map<string, string[]>;
  readonly judged: string[];
  replaceable: boolean;
  verdict: HostKeyVerdict | undefined;
}

export function testTrust(
  ...hosts: readonly Pick<SshHost, 'address' | 'port' | 'hostKeys'>[]
): TestTrust {
  const known = new Map(
    hosts.map(({ address, port, hostKeys }) => [
      `${address}:${port}`,
      [...hostKeys.values()].map(({ publicKey }) => publicKey.split(' ')[1] ?? ''),
    ]),
  );
  const name = (host: ResolvedHost): string => `${host.hostName}:${host.port}`;
  const trust: TestTrust = {
    known,
    judged: [],
    replaceable: true,
    verdict: undefined,
    keyTypes: (host) =>
      Promise.resolve((known.get(name(host)) ?? []).map((key) => describe(key).type)),
    judge(host, blob) {
      trust.judged.push(name(host));
      if (trust.verdict !== undefined) return Promise.resolve(trust.verdict);
      const keys = known.get(name(host)) ?? [];
      const key = describe(blob.toString('base64'));
      if (keys.includes(blob.toString('base64'))) return Promise.resolve({ kind: 'known' });
      if (keys.length === 0) return Promise.resolve({ kind: 'unknown', key, alsoKnownAs: [] });
      const records = keys.map((text, index) => ({
        ...describe(text),
        file: '/known_hosts',
        line: index + 1,
      }));
      const { replaceable } = trust;
      return Promise.resolve({ kind: 'changed', key, known: records, replaceable });
    },
    remember(host, blob, { replace }) {
      const before = replace ? [] : (known.get(name(host)) ?? []);
      known.set(name(host), [...before, blob.toString('base64')]);
      return Promise.resolve(ok(null));
    },
  };
  return trust;
}

function describe(base64: string): { type: string; fingerprint: string } {
  const blob = Buffer.from(base64, 'base64');
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  const type = blob.toString('latin1', 4, 4 + blob.readUInt32BE(0));
  return { type, fingerprint: `SHA256:${digest}` };
}
