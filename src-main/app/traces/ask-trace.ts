import type { Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { alive } from './alive.ts';
import type { TraceClient } from './held-trace.ts';
import type { OpenTrace, OpenTraces } from './open-traces.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Asks the process of an open trace on behalf of a caller, whose it is from then on. A caller that
 * cancels has its answer at once: the process, which nothing can interrupt, works on for nobody. One
 * that only now reads its file again is ended.
 */
export async function askTrace<T, Code extends string>(
  traces: OpenTraces,
  traceId: string,
  context: CallContext,
  ask: (trace: OpenTrace) => Promise<Result<T, Code>>,
): Promise<Result<T, Code | 'not-open' | 'process-lost' | 'cancelled'>> {
  const trace = traces.find(traceId);
  if (!trace.ok) return trace;
  traces.useBy(traceId, context.session);
  const client = clientFor(trace.value.client, context);
  return unlessAborted(context.signal, ask({ ...trace.value, client }).then(alive));
}

/** The client of one caller, who hears how far a file is that is read again, and may give up. */
function clientFor(client: TraceClient, { signal, progress }: CallContext): TraceClient {
  return {
    call: (name, args, options) =>
      client.call(name, args, { signal, onProgress: progress, ...options }),
  };
}
