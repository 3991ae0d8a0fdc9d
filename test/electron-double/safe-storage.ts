import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type * as Electron from 'electron';
import { requireReady } from './strict.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Backend = ReturnType<Electron.SafeStorage['getSelectedStorageBackend']>;

/** The newest last; they live as long as this process, so that another start can't open what is kept. */
const keys = [randomBytes(32)];
let backend: Backend = 'gnome_libsecret';

/** AES-256-GCM: what is kept is as unreadable as the real thing's. The deprecated methods are left out. */
export const safeStorageDouble = {
  getSelectedStorageBackend(): Backend {
    // Electron answers before ready as well.
    return backend;
  },
  async isAsyncEncryptionAvailable(): Promise<boolean> {
    requireReady('safeStorage.isAsyncEncryptionAvailable');
    return true;
  },
  async encryptStringAsync(plainText: string): Promise<Buffer> {
    requireReady('safeStorage.encryptStringAsync');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', newestKey(), nonce);
    const sealed = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  },
  async decryptStringAsync(encrypted: Buffer): Promise<Electron.DecryptStringAsyncReturnValue> {
    requireReady('safeStorage.decryptStringAsync');
    for (const key of keys.toReversed()) {
      const result = decrypt(encrypted, key);
      if (result !== undefined) return { result, shouldReEncrypt: key !== newestKey() };
    }
    throw new Error('Error while decrypting the ciphertext provided to safeStorage.');
  },
};

function newestKey(): Buffer {
  const key = keys.at(-1);
  if (key === undefined) throw new Error('electron double: safeStorage has no key');
  return key;
}

function decrypt(encrypted: Buffer, key: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const sealed = encrypted.subarray(NONCE_BYTES + TAG_BYTES);
    return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** As a system does that has another password store, or none. */
export function setStorageBackend(name: Backend): void {
  backend = name;
}

/** As a system does that protects what is kept anew. */
export function rotateStorageKey(): void {
  keys.push(randomBytes(32));
}
