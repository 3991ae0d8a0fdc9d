import type { App } from '../../app/app.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';

/** How a command line names a CUDA call: by its row, or as the slowest of an operation. */
export interface CallName {
  readonly call?: number;
  readonly slowest?: string;
}

/** The row of cuda_call that is named; undefined where none is. */
export async function findCall(
  app: App,
  traceId: string,
  { call, slowest }: CallName,
  context: CallContext,
): Promise<Result<number | undefined>> {
  if (slowest === undefined) return ok(call);
  const stats = await app.handlers['trace.operations']({ traceId, bySize: false }, context);
  if (!stats.ok) return stats;
  const calls = stats.value.filter((each) => each.slowestCall !== undefined);
  const named = calls.filter(({ name }) => name.toLowerCase() === slowest.toLowerCase());
  const [found] = named.sort((a, b) => b.maxNs - a.maxNs);
  if (found?.slowestCall !== undefined) return ok(found.slowestCall);
  const names = [...new Set(calls.map(({ name }) => cleanText(name, 60)))].slice(0, 12).join(', ');
  const has = names === '' ? 'It holds no individual CUDA calls.' : `It has ${names}.`;
  return fail('not-found', `This trace has no CUDA call named ${cleanText(slowest, 80)}. ${has}`);
}
