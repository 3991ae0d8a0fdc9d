import { expect, test } from 'vitest';
import { readSudo } from './sudo-words.ts';

test.each([
  ['sudo: a password is required', 'wants-password'],
  ['sudo: interactive authentication is required', 'wants-password'],
  ['Sorry, try again.\nsudo: 1 incorrect password attempt', 'wrong-password'],
  ['sudo: 3 incorrect password attempts', 'wrong-password'],
  ['sudo: sorry, you must have a tty to run sudo', 'no-sudo'],
  ['sudo: The "no new privileges" flag is set, which prevents sudo', 'no-sudo'],
  ['sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set', 'no-sudo'],
  ['bob is not in the sudoers file.  This incident will be reported.', 'not-sudoer'],
  ['bob is not in the sudoers file.', 'not-sudoer'],
  ["Sorry, user bob is not allowed to execute '/bin/sh' as root on gpu.", 'not-sudoer'],
  ['Sorry, user bob may not run sudo on gpu.', 'not-sudoer'],
  ['something else', undefined],
])('sudo: %s', (said, meaning) => {
  const says = readSudo(said);
  expect(says?.kind === 'refuses' ? says.privilege : says?.kind).toBe(meaning);
  if (says?.kind === 'refuses') expect([says.why, says.next].join(' ')).toMatch(/^\S.*\. \S.*\.$/);
});
