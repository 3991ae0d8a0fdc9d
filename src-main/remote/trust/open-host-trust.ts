import type { RecordedHostKey } from '../../shared/remote/questions.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { describeKey, fingerprintOf, keyTypeOf } from './host-key.ts';
import type { HostKeyVerdict, HostTrust } from './host-trust.ts';
import { type KnownHostsLine, namesHost, parseKnownHosts } from './known-hosts.ts';
import { appendKey, readKnownHosts, replacedBy, replaceKey } from './own-known-hosts.ts';

interface Entry extends KnownHostsLine {
  readonly file: string;
  readonly own: boolean;
}

/** The order in which key types are preferred; others come last. */
const BEST_FIRST = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];

const MOST_OTHER_NAMES = 8;

/** The user's known_hosts files, read anew for each question, and the app's own at `ownFile`. */
export function openHostTrust(ownFile: string): HostTrust {
  return {
    async keyTypes(host) {
      const known = (await knownFor(ownFile, host)).keys;
      const types = [...new Set(known.map(({ type }) => type))];
      return types.sort((a, b) => rank(a) - rank(b));
    },
    judge: async (host, keyBlob) => judge(host, keyBlob, await knownFor(ownFile, host)),
    async remember(host, keyBlob, { replace }) {
      const key = {
        name: lookupName(host),
        type: keyTypeOf(keyBlob) ?? 'unknown',
        blob: keyBlob,
      };
      if (!replace) return appendKey(ownFile, key);
      const { keys } = await knownFor(ownFile, host);
      return replaceKey(ownFile, key, [...new Set(keys.map(({ blob }) => fingerprintOf(blob)))]);
    },
  };
}

function rank(type: string): number {
  const at = BEST_FIRST.indexOf(type);
  return at === -1 ? BEST_FIRST.length : at;
}

function lookupName(host: ResolvedHost): string {
  return host.keyName.toLowerCase();
}

interface Known {
  readonly all: readonly Entry[];
  /** What is known of the host: those that were replaced are left out. */
  readonly keys: readonly Entry[];
  readonly revoked: readonly Entry[];
  readonly authorities: readonly Entry[];
}

async function knownFor(ownFile: string, host: ResolvedHost): Promise<Known> {
  const files = [ownFile, ...host.knownHostsFiles.filter((file) => file !== ownFile)];
  const texts = await Promise.all(files.map(readKnownHosts));
  const all = texts.flatMap((text, index) =>
    parseKnownHosts(text).map((line) => ({ ...line, file: files[index] ?? '', own: index === 0 })),
  );
  const named = entriesNamed(all, host);
  const replaced = new Set(named.filter(({ own }) => own).flatMap(replacedBy));
  return {
    all,
    keys: named.filter(
      (entry) => entry.marker === undefined && !replaced.has(fingerprintOf(entry.blob)),
    ),
    revoked: named.filter(({ marker }) => marker === 'revoked'),
    authorities: named.filter(({ marker }) => marker === 'cert-authority'),
  };
}

/**
 * The lines of a host: those of `[host]:port`, and where there is none those of `host`, which count in
 * ssh too; marked lines of both.
 */
function entriesNamed(all: readonly Entry[], host: ResolvedHost): readonly Entry[] {
  const name = lookupName(host);
  const exact = all.filter((entry) => namesHost(entry, name));
  const bare = /^\[(.+)\]:\d+$/.exec(name)?.[1];
  if (bare === undefined) return exact;
  const without = all.filter((entry) => !exact.includes(entry) && namesHost(entry, bare));
  return exact.some(({ marker }) => marker === undefined)
    ? [...exact, ...without.filter(({ marker }) => marker !== undefined)]
    : [...exact, ...without];
}

function judge(host: ResolvedHost, keyBlob: Buffer, known: Known): HostKeyVerdict {
  const key = describeKey(keyBlob);
  const revoked = known.revoked.find(({ blob }) => blob.equals(keyBlob));
  if (revoked !== undefined) return { kind: 'revoked', key, record: recordOf(revoked) };
  if (known.keys.some(({ blob }) => blob.equals(keyBlob))) return { kind: 'known' };
  if (known.keys.length > 0 && !isOnlyBareName(host, known)) {
    return {
      kind: 'changed',
      key,
      known: known.keys.map(recordOf),
      // Who wrote “yes” manages the keys by hand.
      replaceable: host.strictHostKeyChecking !== 'yes',
    };
  }
  const [authority] = known.authorities;
  if (authority !== undefined) return { kind: 'ca', key, record: recordOf(authority) };
  return { kind: 'unknown', key, alsoKnownAs: otherNames(keyBlob, known) };
}

/** Another port of a known host may be another machine behind the same address: its key is new, not changed. */
function isOnlyBareName(host: ResolvedHost, known: Known): boolean {
  const name = lookupName(host);
  return !known.keys.some((entry) => namesHost(entry, name));
}

function recordOf(entry: Entry): RecordedHostKey {
  return { ...describeKey(entry.blob), file: entry.file, line: entry.line };
}

function otherNames(keyBlob: Buffer, known: Known): readonly string[] {
  const names = known.all
    .filter((entry) => entry.marker === undefined && entry.blob.equals(keyBlob))
    .map((entry) =>
      entry.names.startsWith('|')
        ? `a hashed name (${entry.file}, line ${entry.line})`
        : entry.names,
    );
  return [...new Set(names)].slice(0, MOST_OTHER_NAMES);
}
