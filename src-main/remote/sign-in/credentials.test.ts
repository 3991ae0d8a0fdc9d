import { expect, it } from 'vitest';
import { testHost } from '../transport/testing/test-host.ts';
import { fingerprintOf } from '../trust/host-key.ts';
import { Credentials } from './credentials.ts';

it('trusts a key once for its own host, by the key and by its fingerprint', () => {
  const [key, other] = [Buffer.from('a key'), Buffer.from('another key')];
  const host = testHost('gpu', { port: 2222, keyName: '[gpu]:2222' });
  const credentials = new Credentials();
  expect(credentials.trustsOnce(host, key)).toBe(false);
  credentials.trustOnce(host, key);
  expect(credentials.trustsOnce(host, key)).toBe(true);
  expect(credentials.trustsFingerprint(host, fingerprintOf(key))).toBe(true);
  expect(credentials.trustsOnce(host, other)).toBe(false);
  expect(credentials.trustsOnce(testHost('gpu'), key)).toBe(false);
  expect(credentials.trustsFingerprint(testHost('other'), fingerprintOf(key))).toBe(false);
  credentials.clear();
  expect(credentials.trustsFingerprint(host, fingerprintOf(key))).toBe(false);
});
