import { safeStorage } from 'electron';
import type { SecretStore } from '../shared/remote/secret-store.ts';
import { describeThrown, fail, ok } from '../shared/rpc/result.ts';

const PLAIN_TEXT_ONLY =
  'No password store is unlocked on this system, so what is kept would be almost unprotected: install or unlock GNOME Keyring or KWallet.';
const NO_STORE =
  "The system's safe storage cannot be used now: unlock its keychain or password store, then connect again.";

/** The system's safe storage: Keychain, DPAPI, libsecret or KWallet. Call once Electron is ready. */
export function createSecretStore(): SecretStore {
  return {
    async unavailable() {
      // With this backend Electron encrypts with a key that everyone knows.
      if (process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text')
        return PLAIN_TEXT_ONLY;
      return (await safeStorage.isAsyncEncryptionAvailable().catch(() => false))
        ? undefined
        : NO_STORE;
    },
    async seal(text) {
      try {
        return ok((await safeStorage.encryptStringAsync(text)).toString('base64'));
      } catch (thrown) {
        return fail('secrets-unavailable', NO_STORE, describeThrown(thrown));
      }
    },
    async open(sealed) {
      try {
        const opened = await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'));
        return ok({ text: opened.result, again: opened.shouldReEncrypt });
      } catch (thrown) {
        return fail('secrets-unavailable', NO_STORE, describeThrown(thrown));
      }
    },
  };
}
