import type { Privilege } from '../../shared/remote/preflight.ts';
import { firstLine } from './shell-failure.ts';

/** What sudo meant by what it said, in the C locale. */
export type SudoSays =
  | { readonly kind: 'wants-password' | 'wrong-password' }
  /** No password helps. */
  | {
      readonly kind: 'refuses';
      readonly privilege: Extract<Privilege, 'not-sudoer' | 'no-sudo'>;
      /** What is so, a sentence; what to do about it. */
      readonly why: string;
      readonly next: string;
    };

const ALLOW_ALL = 'Ask the administrator for a rule that allows all commands, or sign in as root.';

const PATTERNS: readonly (readonly [RegExp, (said: string) => SudoSays])[] = [
  [/incorrect password attempt|Sorry, try again|Authentication failed/i, wrongPassword],
  [/must have a tty|no tty present and no askpass/i, wantsTerminal],
  [/no new privileges/i, noNewPrivileges],
  [/setuid|effective uid is not 0|must be owned by uid 0/i, notSetuid],
  [/not in the sudoers file|may not run sudo|not allowed to run sudo/i, notSudoer],
  [/not allowed to execute|I'm sorry .* afraid/i, notEveryCommand],
  [/password is required|authentication is required|password:/i, wantsPassword],
];

/** `undefined`: none of what sudo is known to say. */
export function readSudo(said: string): SudoSays | undefined {
  return PATTERNS.find(([pattern]) => pattern.test(said))?.[1](said);
}

function wantsPassword(): SudoSays {
  return { kind: 'wants-password' };
}

function wrongPassword(): SudoSays {
  return { kind: 'wrong-password' };
}

function wantsTerminal(): SudoSays {
  return {
    kind: 'refuses',
    privilege: 'no-sudo',
    why: 'sudo works only from a terminal here (requiretty).',
    next: 'Take requiretty out of /etc/sudoers for this user, or sign in as root.',
  };
}

function noNewPrivileges(): SudoSays {
  return {
    kind: 'refuses',
    privilege: 'no-sudo',
    why: 'The container was started with “no new privileges”, so that sudo cannot work.',
    next: 'Sign in as root, or start the container without no-new-privileges.',
  };
}

function notSetuid(said: string): SudoSays {
  return {
    kind: 'refuses',
    privilege: 'no-sudo',
    why: `sudo is installed but cannot work: “${firstLine(said)}”.`,
    next: 'Sign in as root, or have sudo installed again.',
  };
}

function notSudoer(): SudoSays {
  return {
    kind: 'refuses',
    privilege: 'not-sudoer',
    why: 'sudo is there, but not for this user.',
    next: ALLOW_ALL,
  };
}

function notEveryCommand(): SudoSays {
  return {
    kind: 'refuses',
    privilege: 'not-sudoer',
    why: 'sudo allows this user other commands only.',
    next: ALLOW_ALL,
  };
}
