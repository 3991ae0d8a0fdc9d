import { type KeyObject, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, sep } from 'node:path';
import ssh2 from 'ssh2';
import { USE_SYSTEM_SSH } from '../../shared/remote/system-ssh-words.ts';
import type { Failure } from '../../shared/rpc/result.ts';
import { readPlainFile } from '../config/read-plain-file.ts';
import { type KeyFile, type KeyFileError, LARGEST_KEY_BYTES, readKeyFile } from './key-file.ts';
import { publicBlobOf } from './public-blob.ts';
import type { RsaHash, SigningKey } from './signing-key.ts';

/** What OpenSSH looks for where no IdentityFile is given; that one is not there is no news. */
const DEFAULT_NAMES = ['rsa', 'ecdsa', 'ecdsa_sk', 'ed25519', 'ed25519_sk', 'xmss', 'dsa'].map(
  (kind) => `id_${kind}`,
);

/** Decrypts a key, asking for its passphrase; `undefined`: nobody gave the right one. */
export type Unlock = (file: KeyFile) => Promise<KeyObject | undefined>;

export type KeyProblem = Failure<KeyFileError>;

/** What an IdentityFile comes to. */
export interface FileKey {
  /** Its public part: also where only that is a file, and the agent has the key. */
  readonly blob?: Buffer;
  readonly key?: SigningKey;
  readonly problem?: KeyProblem;
}

/**
 * The key in `path`, if it is one: decrypted when it has to sign, not before. Nothing at all where a
 * default key does not exist.
 */
export async function loadFileKey(path: string, unlock: Unlock): Promise<FileKey> {
  const file = await readKeyFile(path);
  if (file.ok) {
    const key = await signingKey(file.value, unlock);
    return key === undefined ? {} : withCertificate(path, key);
  }
  const { code } = file.error;
  const blob = (await publicKeyIn(path)) ?? (await publicKeyIn(`${path}.pub`));
  if (code === 'missing' && blob === undefined && DEFAULT_NAMES.includes(basename(path))) return {};
  const problem = { ...file.error, code: code === 'missing' ? ('key-unreadable' as const) : code };
  return blob === undefined ? { problem } : { blob, problem };
}

async function signingKey(file: KeyFile, unlock: Unlock): Promise<SigningKey | undefined> {
  const label = tilde(file.path);
  let opened: KeyObject | undefined;
  const open = async (): Promise<KeyObject | undefined> => (opened ??= await unlock(file));
  let blob = file.blob ?? (await publicKeyIn(`${file.path}.pub`));
  if (blob === undefined) {
    // An encrypted PEM says nothing of its public part: without it the server can't be asked.
    const key = await open();
    blob = key === undefined ? undefined : publicBlobOf(key);
  }
  if (blob === undefined) return undefined;
  return {
    label,
    blob,
    async sign(data, hash) {
      const key = await open();
      return key === undefined ? undefined : signWith(key, data, hash);
    },
  };
}

/** DER for ECDSA, which ssh2 converts. */
function signWith(key: KeyObject, data: Buffer, hash: RsaHash | undefined): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sign(null, data, key);
  if (key.asymmetricKeyType === 'rsa') return sign(hash ?? 'sha1', data, key);
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const byCurve = { prime256v1: 'sha256', secp384r1: 'sha384' } as const;
  return sign(byCurve[curve as keyof typeof byCurve] ?? 'sha512', data, key);
}

/** The public key in `path`, as `ssh-keygen` writes it. */
async function publicKeyIn(path: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readPlainFile(path, LARGEST_KEY_BYTES);
    if (bytes === undefined) return undefined;
    const key = ssh2.utils.parseKey(bytes);
    return key instanceof Error || key.isPrivateKey() ? undefined : key.getPublicSSH();
  } catch {
    return undefined;
  }
}

/** OpenSSH would show the certificate beside a key; ssh2 can't, and the server may want nothing else. */
function withCertificate(path: string, key: SigningKey): FileKey {
  if (!existsSync(`${path}-cert.pub`)) return { key, blob: key.blob };
  const message = `${tilde(path)} has a certificate, which only this machine's ssh can show: ${USE_SYSTEM_SSH}.`;
  return { key, blob: key.blob, problem: { code: 'needs-system-ssh', message } };
}

function tilde(path: string): string {
  const home = homedir() + sep;
  return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
