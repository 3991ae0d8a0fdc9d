import { afterEach, expect, test, vi } from 'vitest';
import { originStorage, tabStorage } from './page-storage.ts';

afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['sessionStorage', tabStorage],
  ['localStorage', originStorage],
])('a forbidden %s keeps nothing and ends nothing', (name, storage) => {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  });
  const found = storage();
  Reflect.deleteProperty(globalThis, name);
  found.setItem('key', 'value');
  expect(found.getItem('key')).toBeNull();
  const own = { getItem: () => 'kept' };
  vi.stubGlobal(name, own);
  expect(storage()).toBe(own);
});
