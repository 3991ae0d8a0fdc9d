import type { HostError } from '../../shared/remote/connection.ts';
import type { Privilege } from '../../shared/remote/preflight.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { Ask } from '../link/ask.ts';
import type { Link } from '../link/link.ts';
import { type Elevation, openProgram } from './open-program.ts';
import { cancelled, firstLine } from './shell-failure.ts';
import { readSudo, type SudoSays } from './sudo-words.ts';
import { transportOf } from './transport-of.ts';

const ATTEMPTS = 3;
/** PAM waits 2 s after a wrong password; an LDAP server may take its time. */
const SUDO_TIMEOUT_MS = 60_000;

/** How root's rights are had on a host, and why not. */
export interface FoundPrivilege {
  readonly privilege: Privilege;
  readonly elevation: Elevation;
  /** Why there are none: a sentence, and what to do. */
  readonly why?: string;
  readonly next?: string;
}

export interface SudoFacts {
  readonly uid: number;
  readonly user: string;
  readonly hasSudo: boolean;
  /** Of `sudo -n -k true`: its status and what it said. */
  readonly trial?: { readonly code: number; readonly said: string };
}

const NONE: Elevation = { kind: 'none' };

/** root → sudo without a password → sudo with one, which a person is asked for. */
export async function findPrivilege(
  link: Link,
  facts: SudoFacts,
  options: { readonly ask: Ask; readonly signal: AbortSignal; progress(text: string): void },
): Promise<Result<FoundPrivilege, HostError | 'cancelled'>> {
  if (facts.uid === 0) return ok({ privilege: 'root', elevation: NONE });
  if (!facts.hasSudo) {
    const why = 'There is no sudo on this host.';
    return ok({ privilege: 'no-sudo', elevation: NONE, why, next: 'Sign in as root.' });
  }
  if (facts.trial?.code === 0) return ok({ privilege: 'sudo', elevation: { kind: 'sudo' } });
  const says = readSudo(facts.trial?.said ?? '');
  if (says?.kind === 'refuses') return ok(refused(says));
  return askForPassword(link, facts.user, options);
}

async function askForPassword(
  link: Link,
  user: string,
  options: { readonly ask: Ask; readonly signal: AbortSignal; progress(text: string): void },
): Promise<Result<FoundPrivilege, HostError | 'cancelled'>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    options.progress('Waiting for the password for sudo.');
    const host = link.connected.address;
    const answer = await options.ask(
      { kind: 'sudo-password', host, user, attempt },
      options.signal,
    );
    if (options.signal.aborted) return cancelled();
    const password = answer.kind === 'texts' ? answer.texts[0] : undefined;
    if (password === undefined) return ok(declined('The password for sudo was not given.'));
    options.progress('Trying sudo.');
    const tried = await tryPassword(link, password, options.signal);
    if (!tried.ok) return tried;
    if (tried.value !== 'wrong') return ok(tried.value);
  }
  return ok(declined(`The password for sudo was wrong ${ATTEMPTS} times.`));
}

async function tryPassword(
  link: Link,
  password: string,
  signal: AbortSignal,
): Promise<Result<FoundPrivilege | 'wrong', HostError | 'cancelled'>> {
  // No password holds these, and sudo would read what comes after as the program's input.
  if (/[\0\r\n]/.test(password)) return ok('wrong');
  const transport = await transportOf(link, signal);
  if (!transport.ok) return transport;
  const elevation: Elevation = { kind: 'sudo-password', password };
  const words = ['/bin/sh', '-c', 'printf \'{"uid":%s}\\n\' "$(id -u)"'];
  const opened = await openProgram(transport.value, words, {
    elevation,
    signal,
    timeoutMs: SUDO_TIMEOUT_MS,
  });
  if (!opened.ok) return opened;
  if (opened.value.kind === 'open') {
    opened.value.channel.close();
    return ok({ privilege: 'sudo-password', elevation });
  }
  if (opened.value.kind === 'wrong-password') return ok('wrong');
  const { stderr } = opened.value;
  const says = readSudo(stderr);
  if (says?.kind === 'wrong-password') return ok('wrong');
  if (says?.kind === 'refuses') return ok(refused(says));
  return ok(declined(`sudo refused: “${firstLine(stderr)}”.`));
}

function refused(says: Extract<SudoSays, { kind: 'refuses' }>): FoundPrivilege {
  const { privilege, why, next } = says;
  return { privilege, elevation: NONE, why, next };
}

function declined(why: string): FoundPrivilege {
  const next = 'Check this host again to give it, or sign in as root.';
  return { privilege: 'sudo-declined', elevation: NONE, why, next };
}
