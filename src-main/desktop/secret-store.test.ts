import { afterEach, expect, test, vi } from 'vitest';
import {
  rotateStorageKey,
  safeStorageDouble,
  setStorageBackend,
} from '../../test/electron-double/safe-storage.ts';
import { markReady, strict } from '../../test/electron-double/strict.ts';
import { createSecretStore } from './secret-store.ts';

vi.mock('electron', () => ({ safeStorage: strict('safeStorage', safeStorageDouble) }));
markReady();

const CANARY = 'correct-horse-battery';
const store = createSecretStore();

afterEach(() => setStorageBackend('gnome_libsecret'));

async function seal(text: string): Promise<string> {
  const sealed = await store.seal(text);
  if (!sealed.ok) throw new Error(sealed.error.message);
  return sealed.value;
}

test('what is sealed can be opened again and does not show', async () => {
  const sealed = await seal(`${CANARY} äöü 🔑`);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain(CANARY);
  expect(await store.open(sealed)).toEqual({
    ok: true,
    value: { text: `${CANARY} äöü 🔑`, again: false },
  });
  expect(await seal(CANARY)).not.toBe(await seal(CANARY));
});

test('is asked to be sealed anew once the system has another key', async () => {
  const sealed = await seal(CANARY);
  rotateStorageKey();
  expect(await store.open(sealed)).toMatchObject({ value: { text: CANARY, again: true } });
});

test('a key that everyone knows is refused in words, where there is such a thing', async () => {
  setStorageBackend('basic_text');
  vi.stubGlobal('process', { ...process, platform: 'linux' });
  expect(await store.unavailable()).toMatch(/install or unlock GNOME Keyring or KWallet/);
  vi.stubGlobal('process', { ...process, platform: 'darwin' });
  expect(await store.unavailable()).toBeUndefined();
  vi.unstubAllGlobals();
});

test('what is no sealed secret is a failure, never an exception', async () => {
  for (const rubbish of ['', 'AAAA', Buffer.alloc(64).toString('base64')]) {
    const opened = await store.open(rubbish);
    expect(opened).toMatchObject({ ok: false, error: { code: 'secrets-unavailable' } });
  }
});

test('a store that is locked says so', async () => {
  vi.spyOn(safeStorageDouble, 'isAsyncEncryptionAvailable').mockRejectedValueOnce(new Error('x'));
  expect(await store.unavailable()).toMatch(/unlock its keychain/);
  vi.spyOn(safeStorageDouble, 'isAsyncEncryptionAvailable').mockResolvedValueOnce(false);
  expect(await store.unavailable()).toMatch(/unlock its keychain/);
});
