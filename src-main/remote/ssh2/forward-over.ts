import type { Duplex } from 'node:stream';
import type { ConnectError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { connectTimeout, forwardingFailure } from '../transport/connect-failures.ts';
import type { Ssh2Hop } from './ssh2-hop.ts';

type Forwarded = Result<Duplex, ConnectError | 'cancelled'>;

/** Has `hop` connect to `next`: what comes of it carries the next connection. */
export function forwardOver(
  hop: Ssh2Hop,
  next: ResolvedHost,
  where: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const { promise, resolve } = Promise.withResolvers<Forwarded>();
  const timer = setTimeout(
    () => resolve(connectTimeout(where, next.connectTimeoutMs)),
    next.connectTimeoutMs,
  );
  const onAbort = (): void => resolve(fail('cancelled', 'Cancelled.'));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  void hop.ended.then((why) => resolve(fail('link-lost', `${why} Try again.`)));
  try {
    hop.client.forwardOut('127.0.0.1', 0, next.hostName, next.port, (error, channel) => {
      if (error === undefined) resolve(ok(channel));
      else resolve(forwardingFailure(hop.address, where, error));
    });
  } catch {
    // ssh2 throws where its socket has ended; `ended` says why.
  }
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}
