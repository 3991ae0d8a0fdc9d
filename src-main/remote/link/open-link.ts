import type { ConnectError } from '../../shared/remote/connection.ts';
import type { Result } from '../../shared/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Transport } from '../transport/transport.ts';
import type { Link } from './link.ts';

/** Opens one connection; with `mayAsk` false it fails where a person would be needed. */
export type OpenTransport = (
  signal: AbortSignal,
  mayAsk: boolean,
) => Promise<Result<Transport, ConnectError | 'cancelled'>>;

export interface LinkOptions {
  /** The id its caller chose. */
  readonly connection: string;
  /** What the user calls the host. */
  readonly label: string;
  readonly host: ResolvedHost;
  readonly open: OpenTransport;
  /** Ends the first connecting only; what came of it is ended by `close`. */
  readonly signal: AbortSignal;
}

/** Connects, asking where needed, and keeps connected from then on without asking. */
export function openLink(options: LinkOptions): Promise<Result<Link, ConnectError | 'cancelled'>> {
  throw new Error(`not written yet: ${options.label}`);
}
