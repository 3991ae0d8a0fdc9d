import { join } from 'node:path';
import type { ConnectError } from '../../shared/remote/connection.ts';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { configEnvironment } from '../config/config-environment.ts';
import { resolveHost } from '../config/resolve-host.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Ask } from '../link/ask.ts';
import type { OpenTransport } from '../link/kept-link.ts';
import { Credentials } from '../sign-in/credentials.ts';
import { openSsh2 } from '../ssh2/open-ssh2.ts';
import { openSystemSsh } from '../system-ssh/open-system-ssh.ts';
import { openHostTrust } from '../trust/open-host-trust.ts';

/** The app's own known_hosts, in its folder. */
const KNOWN_HOSTS = 'known_hosts';

interface OpenOptions {
  /** Ours alone: RemoteOptions. */
  readonly folder: string;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  /** What is about to be done, for whoever waits for the first connection. */
  readonly onStep: (text: string) => void;
}

interface HostOpener {
  readonly host: ResolvedHost;
  readonly open: OpenTransport;
  /** Forgets what a person gave for it. */
  readonly forget: () => void;
}

/** How `target` is reached: by which program, with what the configuration says, asking whom. */
export async function openHost(
  target: HostTarget,
  { folder, ask, signal, onStep }: OpenOptions,
): Promise<Result<HostOpener, ConnectError | 'cancelled'>> {
  const environment = configEnvironment();
  onStep('Reading the SSH configuration');
  const resolved = await resolveHost(target, {
    environment,
    signal,
    allowMatchExec: (commands, during) => allowMatchExec(ask, target.name, commands, during),
  });
  if (!resolved.ok) return resolved;
  const host = resolved.value;
  const ownKnownHosts = join(folder, KNOWN_HOSTS);
  const trust = openHostTrust(ownKnownHosts);
  const credentials = new Credentials();
  const forget = () => credentials.clear();
  const system: OpenTransport = (during, mayAsk) => {
    if (mayAsk) onStep(`Connecting to ${host.name} with the ssh of this machine`);
    const how = { environment, ownKnownHosts, trust, credentials };
    return openSystemSsh(host, { ...how, ...(mayAsk && { ask }), signal: during });
  };
  const ours: OpenTransport = (during, mayAsk) =>
    openSsh2(host, { trust, credentials, ...(mayAsk && { ask, onStep }), signal: during });
  if (host.transport === 'system') return ok({ host, open: system, forget });
  if (host.transport === undefined) {
    const open = host.needsSystemSsh === undefined ? firstThatCan(ours, system) : system;
    return ok({ host, open, forget });
  }
  if (host.needsSystemSsh !== undefined) return fail('needs-system-ssh', host.needsSystemSsh);
  return ok({ host, open: ours, forget });
}

/** What only the system's ssh can do may show as late as when the host shows its key. */
function firstThatCan(ours: OpenTransport, system: OpenTransport): OpenTransport {
  return async (signal, mayAsk) => {
    const opened = await ours(signal, mayAsk);
    const isForSystem = !opened.ok && opened.error.code === 'needs-system-ssh';
    return isForSystem ? system(signal, mayAsk) : opened;
  };
}

async function allowMatchExec(
  ask: Ask,
  host: string,
  commands: readonly string[],
  signal: AbortSignal,
): Promise<boolean | 'cancelled'> {
  const answer = await ask({ kind: 'match-exec', host, commands }, signal);
  if (answer.kind === 'cancel') return 'cancelled';
  return answer.kind === 'allow' && answer.allow;
}
