import { connect, type Socket } from 'node:net';
import type { ConnectError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { connectTimeout, networkFailure } from '../transport/connect-failures.ts';

/** Connects to all addresses of a name in turn, IPv6 and IPv4 (RFC 8305). */
export function connectTcp(
  host: ResolvedHost,
  where: string,
  signal: AbortSignal,
): Promise<Result<Socket, ConnectError | 'cancelled'>> {
  return new Promise((resolve) => {
    const socket = connect({
      host: host.hostName,
      port: host.port,
      noDelay: true,
      keepAlive: true,
      autoSelectFamily: true,
    });
    const timer = setTimeout(() => {
      settle(connectTimeout(where, host.connectTimeoutMs));
    }, host.connectTimeoutMs);
    const onAbort = (): void => settle(fail('cancelled', 'Cancelled.'));
    const onError = (error: Error): void => settle(networkFailure(where, error));
    const onConnect = (): void => settle(ok(socket));
    signal.addEventListener('abort', onAbort);
    socket.once('connect', onConnect).on('error', onError);
    if (signal.aborted) onAbort();

    function settle(result: Result<Socket, ConnectError | 'cancelled'>): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect);
      // An error that comes later is whose who listens then; without a listener it would be thrown.
      if (!result.ok) socket.destroy();
      resolve(result);
    }
  });
}
