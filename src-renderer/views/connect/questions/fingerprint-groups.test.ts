import { expect, test } from 'vitest';
import { fingerprintGroups } from './fingerprint-groups.ts';

test('groups of four, nothing left out', () => {
  const text = 'SHA256:yF1iIgD6tgU38XU5VyYWQXQcvbK1Q+I0nVJWN0C7Hm0';
  const { prefix, groups } = fingerprintGroups(text);
  expect(prefix).toBe('SHA256:');
  expect(groups[0]).toBe('yF1i');
  expect(groups.at(-1)).toBe('Hm0');
  expect(prefix + groups.join('')).toBe(text);
  expect(fingerprintGroups('')).toEqual({ prefix: '', groups: [] });
});
