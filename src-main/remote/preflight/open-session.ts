import type { HostError } from '../../shared/remote/connection.ts';
import type { Result } from '../../shared/result.ts';
import type { Ask } from '../link/ask.ts';
import type { Link } from '../link/link.ts';
import type { HostSession } from '../shell/host-session.ts';

export interface SessionOptions {
  /** `linux-x64/stalltrace-agent`, … and `status.json`. */
  readonly agentsFolder: string;
  /** For sudo's password, where it wants one. */
  readonly ask: Ask;
  readonly signal: AbortSignal;
  /** What is being done, for people: "Putting the agent there: 1.2 of 3.5 MB." */
  progress(text: string): void;
}

/**
 * Looks at a host that is signed in to, finds the way to root's rights, puts the agent there and has
 * it try what it can. What keeps a capture from being complete is no failure: it is in the preflight.
 */
export async function openSession(
  link: Link,
  options: SessionOptions,
): Promise<Result<HostSession, HostError | 'cancelled'>> {
  throw new Error(`not written yet: ${link.host.name} ${options.agentsFolder}`);
}
