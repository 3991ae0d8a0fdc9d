import type { ConnectError, ConnectedHost, LinkState } from '../../shared/remote/connection.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Transport } from '../transport/transport.ts';

/**
 * A host that is kept connected: a lost connection is made anew with what is known since signing in,
 * 1, 2, 4 … 30 s apart, until `close`. It ends (`closed`) where a person would be needed: a key that
 * changed, a password that is not taken any more, prompts.
 */
export interface Link {
  readonly host: ResolvedHost;
  readonly connected: ConnectedHost;
  readonly state: LinkState;
  /** The connection at hand; while there is none, waits for the next one, or for `signal`. */
  transport(signal: AbortSignal): Promise<Result<Transport, ConnectError | 'cancelled'>>;
  /** Tries at once what would be tried later. */
  retryNow(): void;
  onState(listener: (state: LinkState) => void): () => void;
  close(): void;
}
