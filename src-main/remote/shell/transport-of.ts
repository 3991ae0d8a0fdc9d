import { fail, type Result } from '../../shared/rpc/result.ts';
import type { Link } from '../link/link.ts';
import type { Transport } from '../transport/transport.ts';

/** The link's connection, its failure as one of work on a host. */
export async function transportOf(
  link: Link,
  signal: AbortSignal,
): Promise<Result<Transport, 'not-connected' | 'cancelled'>> {
  const got = await link.transport(signal);
  if (got.ok) return got;
  const { code, message, detail } = got.error;
  return fail(code === 'cancelled' ? 'cancelled' : 'not-connected', message, detail);
}
