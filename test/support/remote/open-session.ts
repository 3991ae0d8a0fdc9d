import { fileURLToPath } from 'node:url';
import type { Ask, Question } from '../../../src-main/remote/link/ask.ts';
import type { Link } from '../../../src-main/remote/link/link.ts';
import { openLink } from '../../../src-main/remote/link/open-link.ts';
import {
  openSession,
  type SessionOptions,
} from '../../../src-main/remote/preflight/open-session.ts';
import type { HostSession } from '../../../src-main/remote/shell/host-session.ts';
import type { PreflightRow } from '../../../src-main/shared/remote/preflight.ts';
import { hostAt, must, open, personSaying } from './open-transport.ts';
import { createSshKey, type SshHost } from './ssh-host.ts';
import type { SshUser } from './ssh-user.ts';
import { testTrust } from './test-trust.ts';

/** Agents of this build. */
const agentsFolder = fileURLToPath(new URL('../../../out/agent', import.meta.url));

/** Signed in with a key of the user's, by ssh2. */
export async function linkTo(server: SshHost, user: SshUser): Promise<Link> {
  const key = createSshKey(`${server.folder}/key-${user.name}-${Math.random()}`);
  user.authorise(key.publicKey);
  const host = hostAt(server, user, { identityFiles: [key.file] });
  const trust = testTrust(server);
  return must(
    await openLink({
      connection: crypto.randomUUID(),
      label: 'test',
      host,
      open: (signal) => open(host, { trust, signal }),
      signal: new AbortController().signal,
      delaysMs: [200],
    }),
  );
}

export interface OpenedSession {
  readonly session: HostSession;
  /** What it told meanwhile. */
  readonly said: readonly string[];
  readonly asked: readonly Question[];
}

/** Opens a session as a person who gives these passwords for sudo, one after the other. */
export async function sessionOver(
  link: Link,
  passwords: readonly string[] = [],
  options: Partial<SessionOptions> = {},
): Promise<OpenedSession> {
  const person = personSaying(...passwords);
  const { opened, said } = await tryOpen(link, person.ask, options);
  return { session: must(opened), said, asked: person.asked };
}

/** The same, where it may fail. */
export async function tryOpen(
  link: Link,
  ask: Ask = personSaying().ask,
  options: Partial<SessionOptions> = {},
) {
  const said: string[] = [];
  const opened = await openSession(link, {
    agentsFolder,
    ask,
    signal: new AbortController().signal,
    progress: (text) => void said.push(text),
    ...options,
  });
  return { opened, said };
}

export function rowsOf({ preflight }: HostSession): Readonly<Record<string, PreflightRow>> {
  return Object.fromEntries(preflight.rows.map((row) => [row.id, row]));
}
