import type { App } from '../../app/app.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';

type Handle = (args: unknown, context: CallContext) => Promise<Result<unknown>>;

/** What is said of a process that ended. */
const ENDED: ReadonlySet<string> = new Set(['disconnected', 'process-lost', 'library-unavailable']);

/**
 * Ctrl+C goes to every process of a terminal, and ends one that is only just starting: of a call that
 * was cancelled by it, that is no failure of its own.
 */
export function knowingInterrupts(handlers: App['handlers']): App['handlers'] {
  const known = Object.entries(handlers).map(([name, handler]) => {
    const handle: Handle = async (args, context) => {
      const result = await (handler as Handle)(args, context);
      const isOfThat = !result.ok && context.signal.aborted && ENDED.has(result.error.code);
      return isOfThat ? fail('cancelled', 'Cancelled.') : result;
    };
    return [name, handle] as const;
  });
  return Object.fromEntries(known) as App['handlers'];
}
