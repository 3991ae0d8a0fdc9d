import { expect, it } from 'vitest';
import { signInFailure } from './sign-in-failure.ts';

const certificate = { code: 'needs-system-ssh', message: 'A certificate.' } as const;
const unreadable = { code: 'key-unreadable', message: 'A bad key.' } as const;
const nobody = { cancelled: false, needsPerson: false };

function failure(
  tried: readonly string[],
  problems: readonly (typeof certificate | typeof unreadable)[],
  person = nobody,
) {
  const keys = { keys: [], problems, notes: [] };
  const failed = signInFailure(
    'h:22',
    { allowed: ['publickey'], tried, accepted: [], keys },
    person,
  );
  return failed.ok ? undefined : failed.error;
}

it('leaves to the system’s ssh what that alone can use, unless a person gave a password', () => {
  expect(failure(['publickey (a)'], [unreadable, certificate])).toEqual(certificate);
  expect(failure(['publickey (a)', 'password'], [certificate])?.code).toBe('sign-in-failed');
  expect(failure([], [certificate], { ...nobody, cancelled: true })?.code).toBe('sign-in-failed');
});

it('blames the key where none could be tried, and names all that is wrong otherwise', () => {
  expect(failure([], [unreadable])).toEqual({
    code: 'key-unreadable',
    message: 'A bad key. The host allows publickey.',
  });
  expect(failure(['publickey (a)'], [unreadable])?.message).toBe(
    'Could not sign in to h:22: tried publickey (a). The host allows publickey. A bad key. Check the user name, and that your public key is in the authorized_keys of that user.',
  );
});
