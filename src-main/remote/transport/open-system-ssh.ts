import type { ConnectError } from '../../shared/remote/connection.ts';
import type { Result } from '../../shared/result.ts';
import type { ConfigEnvironment } from '../config/config-environment.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Ask } from '../link/ask.ts';
import type { Transport } from './transport.ts';

export interface SystemSshOptions {
  readonly environment: ConfigEnvironment;
  /** The app's own known_hosts, which `ssh` reads and writes beside the user's. */
  readonly ownKnownHosts: string;
  /**
   * Asks a person; for a connection made anew it may answer from memory what was given before.
   * Absent: nobody is asked, and what needs an answer fails.
   */
  readonly ask?: Ask;
  readonly signal: AbortSignal;
}

/** A connection by the `ssh` of this machine, which reads the user's configuration itself. */
export function openSystemSsh(
  host: ResolvedHost,
  options: SystemSshOptions,
): Promise<Result<Transport, ConnectError | 'cancelled'>> {
  throw new Error(`not written yet: ${host.name} ${options.ownKnownHosts}`);
}
