import { createPrivateKey, type KeyObject } from 'node:crypto';
import ssh2 from 'ssh2';
import { USE_SYSTEM_SSH } from '../../shared/remote/system-ssh-words.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { readPlainFile } from '../config/read-plain-file.ts';
import { keyTypeOf } from '../trust/host-key.ts';
import { publicBlobOf } from './public-blob.ts';
import { WireReader } from './ssh-wire.ts';

/** OpenSSH's own limit (MAX_KEY_FILE_SIZE). */
export const LARGEST_KEY_BYTES = 1024 ** 2;
const MAGIC = 'openssh-key-v1\0';

/** A private key as it lies on the disk. */
export interface KeyFile {
  readonly path: string;
  readonly encrypted: boolean;
  /** The public part, where it can be had without the passphrase. */
  readonly blob?: Buffer;
  /** Decrypts it; this takes OpenSSH's own format about a third of a second, on purpose. */
  open(passphrase?: string): Result<KeyObject, 'wrong-passphrase' | KeyFileError>;
}

export type KeyFileError = 'key-unreadable' | 'needs-system-ssh';

/** Reads a private key in OpenSSH's format, PEM (PKCS #1, #8, SEC 1) or PuTTY's version 2. */
export async function readKeyFile(
  path: string,
): Promise<Result<KeyFile, KeyFileError | 'missing'>> {
  const read = await readText(path);
  if (!read.ok) return read;
  const text = read.value;
  if (text.includes('-----BEGIN OPENSSH PRIVATE KEY-----')) return openSshKey(path, text);
  if (/^PuTTY-User-Key-File-/.test(text)) return puttyKey(path, text);
  if (/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/.test(text)) return pemKey(path, text);
  if (/^(?:ssh-|ecdsa-|sk-)\S+ AAAA/.test(text))
    return fail(
      'key-unreadable',
      `${path} is the public half of a key: choose the file of the same name without “.pub”.`,
    );
  return fail('key-unreadable', `${path} is not a private key that SSH knows.`);
}

async function readText(path: string): Promise<Result<string, 'key-unreadable' | 'missing'>> {
  try {
    const bytes = await readPlainFile(path, LARGEST_KEY_BYTES);
    if (bytes !== undefined) return ok(bytes.toString('utf8').trimStart());
    return fail('key-unreadable', `${path} is not a file, or too large for a key.`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail('missing', `${path} does not exist.`);
    if (code === 'EACCES' || code === 'EPERM')
      return fail('key-unreadable', `You may not read the key ${path}: look at its permissions.`);
    return fail('key-unreadable', `The key ${path} can't be read.`, describeThrown(error));
  }
}

function openSshKey(path: string, text: string): Result<KeyFile, KeyFileError> {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END/.exec(text)?.[1] ?? '';
  const bytes = Buffer.from(base64, 'base64');
  // PROTOCOL.key of OpenSSH: magic, cipher, kdf, its options, number of keys, first public key.
  const reader = new WireReader(bytes.subarray(MAGIC.length));
  const cipher = reader.string()?.toString('latin1');
  const known = bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
  reader.string();
  reader.string();
  reader.uint32();
  const blob = reader.string();
  if (!known || cipher === undefined || blob === undefined) return damaged(path);
  const type = keyTypeOf(blob) ?? '';
  if (type.startsWith('sk-')) return securityKey(path);
  return ok({
    path,
    blob,
    encrypted: cipher !== 'none',
    open: (passphrase) => openWithSsh2(path, text, passphrase),
  });
}

function puttyKey(path: string, text: string): Result<KeyFile, KeyFileError> {
  const supported = /^PuTTY-User-Key-File-2: ssh-(?:rsa|dss)\s/.test(text);
  if (!supported)
    return fail(
      'key-unreadable',
      `${path} is a PuTTY key: convert it with PuTTYgen, “Conversions › Export OpenSSH key”.`,
    );
  return ok({
    path,
    encrypted: !/^Encryption: none\s*$/m.test(text),
    open: (passphrase) => openWithSsh2(path, text, passphrase),
  });
}

function openWithSsh2(
  path: string,
  text: string,
  passphrase: string | undefined,
): Result<KeyObject, 'wrong-passphrase' | KeyFileError> {
  const key = ssh2.utils.parseKey(text, passphrase);
  if (key instanceof Error) {
    if (/^Unsupported/.test(key.message))
      return fail(
        'needs-system-ssh',
        `Only this machine's ssh can read the key ${path}: ${USE_SYSTEM_SSH}.`,
        cleanText(key.message, 200),
      );
    return passphrase === undefined ? damaged(path) : wrongPassphrase(path);
  }
  return fromPem(path, key.getPrivatePEM(), undefined);
}

function pemKey(path: string, text: string): Result<KeyFile, KeyFileError> {
  const encrypted = text.includes('ENCRYPTED');
  const open = (passphrase?: string) => fromPem(path, text, passphrase);
  if (encrypted) return ok({ path, encrypted, open });
  const key = open();
  if (!key.ok)
    return key.error.code === 'wrong-passphrase'
      ? damaged(path)
      : fail(key.error.code, key.error.message, key.error.detail);
  const blob = publicBlobOf(key.value);
  return blob === undefined ? unknownKind(path) : ok({ path, encrypted, blob, open });
}

function fromPem(
  path: string,
  pem: string,
  passphrase: string | undefined,
): Result<KeyObject, 'wrong-passphrase' | KeyFileError> {
  try {
    return ok(createPrivateKey({ key: pem, format: 'pem', passphrase }));
  } catch {
    // OpenSSL's words differ from BoringSSL's, which Electron has, and may quote what they read.
    return passphrase === undefined ? damaged(path) : wrongPassphrase(path);
  }
}

function wrongPassphrase(path: string): Result<never, 'wrong-passphrase'> {
  return fail('wrong-passphrase', `That is not the passphrase of ${path}.`);
}

function damaged(path: string): Result<never, 'key-unreadable'> {
  return fail('key-unreadable', `The key ${path} is damaged or in a format that is not known.`);
}

function unknownKind(path: string): Result<never, 'key-unreadable'> {
  return fail('key-unreadable', `The key ${path} is neither RSA, ECDSA nor Ed25519.`);
}

function securityKey(path: string): Result<never, 'needs-system-ssh'> {
  return fail(
    'needs-system-ssh',
    `${path} is on a security key, which only this machine's ssh can use: ${USE_SYSTEM_SSH}.`,
  );
}
