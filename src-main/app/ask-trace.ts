import { fail, type Result } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import { alive } from './alive.ts';
import type { OpenTrace, OpenTraces } from './open-traces.ts';

/**
 * Asks the process of an open trace on behalf of a caller, whose it is from then on. A caller that
 * cancels has its answer at once: the process, which nothing can interrupt, works on for nobody.
 */
export async function askTrace<T, Code extends string>(
  traces: OpenTraces,
  traceId: string,
  { session, signal }: CallContext,
  ask: (trace: OpenTrace) => Promise<Result<T, Code>>,
): Promise<Result<T, Code | 'not-open' | 'process-lost' | 'cancelled'>> {
  const trace = traces.find(traceId);
  if (!trace.ok) return trace;
  traces.useBy(traceId, session);
  const left = Promise.withResolvers<Result<never, 'cancelled'>>();
  const leave = () => left.resolve(fail('cancelled', 'Cancelled.'));
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([left.promise, ask(trace.value).then(alive)]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
