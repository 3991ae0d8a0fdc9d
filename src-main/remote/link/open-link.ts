import type { ConnectError, ConnectedHost } from '../../shared/remote/connection.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { hostAddress } from '../transport/host-address.ts';
import type { Transport } from '../transport/transport.ts';
import { KeptLink, type OpenTransport } from './kept-link.ts';
import type { Link } from './link.ts';

export interface LinkOptions {
  /** The id its caller chose. */
  readonly connection: string;
  /** What the user calls the host. */
  readonly label: string;
  readonly host: ResolvedHost;
  readonly open: OpenTransport;
  /** Ends the first connecting only; what came of it is ended by `close`. */
  readonly signal: AbortSignal;
  /** Between attempts to connect anew, the last one for all that follow; 1, 2, 4 … 30 s. */
  readonly delaysMs?: readonly number[];
}

/** Connects, asking where needed, and keeps connected from then on without asking. */
export async function openLink(
  options: LinkOptions,
): Promise<Result<Link, ConnectError | 'cancelled'>> {
  const opened = await options.open(options.signal, true);
  if (!opened.ok) return opened;
  const { host, open, delaysMs } = options;
  const connected = describeConnection(options, opened.value);
  return ok(new KeptLink({ host, connected, open, delaysMs }, opened.value));
}

function describeConnection(
  { connection, label, host }: LinkOptions,
  { kind, facts }: Transport,
): ConnectedHost {
  const { hostKey, signedInWith, via } = facts;
  return {
    connection,
    label,
    user: host.user,
    address: hostAddress(host),
    via,
    transport: kind,
    signedInWith,
    ...(hostKey === undefined ? {} : { hostKey }),
  };
}
