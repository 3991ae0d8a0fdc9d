import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, Progress } from '../../shared/rpc/rpc.ts';

interface Joined<T, Code extends string> {
  readonly result: Promise<Result<T, Code>>;
  readonly stop: AbortController;
  readonly callers: Set<CallContext>;
  last: Progress | undefined;
}

/**
 * What several callers ask for at once is done once: each gets its progress and its result. It is
 * cancelled when the last of them is.
 */
export function joinCalls<T, Code extends string>(
  start: (key: string, context: CallContext) => Promise<Result<T, Code>>,
): (key: string, context: CallContext) => Promise<Result<T, Code | 'cancelled'>> {
  const running = new Map<string, Joined<T, Code>>();

  function begin(key: string): Joined<T, Code> {
    const stop = new AbortController();
    const callers = new Set<CallContext>();
    const progress = (step: Progress) => {
      joined.last = step;
      for (const caller of callers) caller.progress(step);
    };
    const signal = stop.signal;
    // On a later turn, so that `joined` is there when the first progress comes.
    const result = Promise.resolve()
      .then(() => start(key, { signal, session: signal, progress }))
      .finally(() => {
        if (running.get(key) === joined) running.delete(key);
      });
    const joined: Joined<T, Code> = { result, stop, callers, last: undefined };
    running.set(key, joined);
    return joined;
  }

  return async (key, context) => {
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    const known = running.get(key);
    // One that is being cancelled has to end first.
    if (known?.stop.signal.aborted) await known.result.catch(() => undefined);
    const joined = running.get(key) ?? begin(key);
    joined.callers.add(context);
    if (joined.last !== undefined) context.progress(joined.last);
    const left = new Promise<Result<never, 'cancelled'>>((resolve) => {
      context.signal.addEventListener(
        'abort',
        () => {
          joined.callers.delete(context);
          if (joined.callers.size > 0) resolve(fail('cancelled', 'Cancelled.'));
          else joined.stop.abort();
        },
        { once: true },
      );
    });
    return Promise.race([joined.result, left]);
  };
}
